/**
 * What kernels in the executable format {@code java} use. Such a kernel is a public static method
 * that takes a {@link org.jhal.kernel.Workgroup} and computes all work items of that workgroup.
 */
@NullMarked
package org.jhal.kernel;

import org.jspecify.annotations.NullMarked;
