/**
 * Shared code for drivers whose native runtime has streams, events, pools of device memory,
 * page-locked host memory and modules of kernels. Such a driver implements {@link
 * org.jhal.driver.gpu.GpuRuntime}, which maps the native calls, {@link
 * org.jhal.driver.gpu.KernelLoader} and {@link org.jhal.driver.gpu.GpuDriver}; this package does
 * the rest.
 *
 * <p>It is the only package of the module that needs JNA. A driver that uses it depends on JNA.
 */
@NullMarked
package org.jhal.driver.gpu;

import org.jspecify.annotations.NullMarked;
