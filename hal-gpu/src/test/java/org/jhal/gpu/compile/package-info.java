// SPDX-License-Identifier: Apache-2.0
/** Tests of the code that compiles and loads kernels, as far as it needs no device. */
@NullMarked
package org.jhal.gpu.compile;

import org.jspecify.annotations.NullMarked;
