// SPDX-License-Identifier: Apache-2.0
/**
 * Shared code for drivers whose native runtime has streams, events, pools of device memory,
 * page-locked host memory and modules of kernels. Such a driver implements {@link
 * org.jhal.gpu.runtime.GpuRuntime}, {@link org.jhal.gpu.compile.KernelLoader} and {@link
 * org.jhal.gpu.GpuDriver}.
 *
 * <p>This highest package only composes the others into an open device and reads its settings.
 */
@NullMarked
package org.jhal.gpu;

import org.jspecify.annotations.NullMarked;
