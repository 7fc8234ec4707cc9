package org.jhal.gpu;

import org.jhal.driver.cache.KernelCache;
import org.jhal.gpu.graph.GraphOptions;
import org.jhal.gpu.natives.RangeMarks;
import org.jhal.gpu.time.Profile;
import org.jspecify.annotations.Nullable;

/**
 * What the settings of a {@link GpuDevice} say, apart from those of the engine.
 *
 * @param cache where compiled kernels are kept; null for nowhere
 * @param graphs when graphs are used
 * @param stagingBytes how much memory is page-locked at most for transfers of pageable memory
 * @param copyThreads how many threads move such memory
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
