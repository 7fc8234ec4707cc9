/**
 * Shared code for drivers whose native runtime has streams, events, pools of device memory,
 * page-locked host memory and modules of kernels. Such a driver implements {@link
 * org.jhal.gpu.runtime.GpuRuntime}, which maps the native calls, {@link
 * org.jhal.gpu.compile.KernelLoader} and {@link org.jhal.gpu.GpuDriver}; this module does the rest.
 *
 * <p>The highest package composes the others into an open device and reads its settings. Nothing
 * else comes in: what a device does is in the packages below, which never see it.
 */
@NullMarked
package org.jhal.gpu;

import org.jspecify.annotations.NullMarked;
