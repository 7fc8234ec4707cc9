// SPDX-License-Identifier: Apache-2.0
/**
 * The language of kernels in C++: headers that compilers get from JHAL, and the include files for
 * which they stand.
 */
@NullMarked
package org.jhal.kernels.dialect;

import org.jspecify.annotations.NullMarked;
