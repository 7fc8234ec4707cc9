// SPDX-License-Identifier: Apache-2.0
/** Tests of the calls on a device. */
@NullMarked
package org.jhal.gpu.runtime;

import org.jspecify.annotations.NullMarked;
