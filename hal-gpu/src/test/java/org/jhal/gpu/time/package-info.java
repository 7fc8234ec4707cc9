// SPDX-License-Identifier: Apache-2.0
/** Tests of the device's clock. */
@NullMarked
package org.jhal.gpu.time;

import org.jspecify.annotations.NullMarked;
