// SPDX-License-Identifier: Apache-2.0
/** Tests of collectives, as far as they need no device. */
@NullMarked
package org.jhal.gpu.collective;

import org.jspecify.annotations.NullMarked;
