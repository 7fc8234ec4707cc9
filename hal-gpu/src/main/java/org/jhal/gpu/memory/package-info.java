/**
 * Memory that a device can access: pools, page-locked and write-combined memory of the host,
 * imported ranges, and packed arguments of kernels.
 *
 * <p>In it comes what allocates, addresses or frees. What moves bytes is in {@code
 * org.jhal.gpu.transfer}. Hidden from drivers, which see memory as {@link
 * org.jhal.gpu.runtime.GpuMemory}.
 */
@NullMarked
package org.jhal.gpu.memory;

import org.jspecify.annotations.NullMarked;
