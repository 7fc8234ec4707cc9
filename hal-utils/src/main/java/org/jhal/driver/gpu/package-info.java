/**
 * What drivers share whose native runtime has streams, events, pools of device memory, page-locked
 * host memory and modules of kernels: such a driver is a {@link org.jhal.driver.gpu.GpuRuntime}, a
 * mapping of native calls, a {@link org.jhal.driver.gpu.KernelLoader} and a {@link
 * org.jhal.driver.gpu.GpuDriver}; all else is here.
 *
 * <p>The only package of the engine that needs JNA. A driver that uses it brings JNA along.
 */
@NullMarked
package org.jhal.driver.gpu;

import org.jspecify.annotations.NullMarked;
