/**
 * From a variant of a bundle to loaded kernels: sources and what they include, compilers at run
 * time, the cache of what they made, and the comparison of kernels with the manifest.
 *
 * <p>In it comes what kernels need before they are launched. It sees neither the calls on a device
 * nor its streams: a driver's {@link org.jhal.gpu.compile.KernelLoader} makes those calls, and who
 * loads says how a module is freed. Launches are in {@code org.jhal.gpu.stream}.
 */
@NullMarked
package org.jhal.gpu.compile;

import org.jspecify.annotations.NullMarked;
