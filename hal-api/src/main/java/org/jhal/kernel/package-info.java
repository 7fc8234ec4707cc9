// SPDX-License-Identifier: Apache-2.0
/**
 * The types that kernels in the executable format {@code java} use. Such a kernel is a public
 * static method that takes a {@link org.jhal.kernel.Workgroup} and computes all work items of that
 * workgroup, or a {@link org.jhal.kernel.JavaKernel} of the program itself.
 */
@NullMarked
package org.jhal.kernel;

import org.jspecify.annotations.NullMarked;
