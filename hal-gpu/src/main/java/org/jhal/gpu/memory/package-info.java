// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that a device can access: pools, page-locked and write-combined host memory, imported
 * ranges, and packed arguments of kernels.
 *
 * <p>Code that allocates, addresses or frees memory belongs here; code that moves bytes is in
 * {@code org.jhal.gpu.transfer}. Drivers see only {@link org.jhal.gpu.runtime.GpuMemory}.
 */
@NullMarked
package org.jhal.gpu.memory;

import org.jspecify.annotations.NullMarked;
