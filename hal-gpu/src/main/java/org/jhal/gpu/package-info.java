/**
 * Shared code for drivers whose native runtime has streams, events, pools of device memory,
 * page-locked host memory and modules of kernels. Such a driver implements {@link
 * org.jhal.gpu.runtime.GpuRuntime}, which maps the native calls, {@link
 * org.jhal.gpu.compile.KernelLoader} and {@link org.jhal.gpu.GpuDriver}; this package does the
 * rest.
 */
@NullMarked
package org.jhal.gpu;

import org.jspecify.annotations.NullMarked;
