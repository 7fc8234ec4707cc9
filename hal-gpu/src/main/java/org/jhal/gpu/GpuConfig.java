package org.jhal.gpu;

import org.jhal.driver.cache.KernelCache;
import org.jhal.gpu.graph.GraphOptions;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.time.Profile;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link GpuDevice}, apart from the engine's.
 *
 * @param cache where compiled kernels are kept; null to keep none
 * @param graphs when graphs are used
 * @param stagingBytes the largest amount of page-locked memory for transfers of pageable memory
 * @param copyThreads the number of threads that move such memory
 * @param profile when times on the device are measured
 * @param ranges marks operations for the vendor's profiler; null if they are not marked
 */
record GpuConfig(
    @Nullable KernelCache cache,
    GraphOptions graphs,
    long stagingBytes,
    int copyThreads,
    Profile profile,
    @Nullable RangeMarks ranges) {}
