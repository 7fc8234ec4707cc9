package org.jhal.gpu.runtime;

import org.jhal.driver.support.FreeThread;

/**
 * What the parts of an open device know of it.
 *
 * @param runtime the native calls
 * @param frees releases what the runtime releases only when the device is idle
 * @param name {@code DRIVER-INDEX}
 * @param place the {@link GpuMemory#place} of the device's own memory
 */
public record GpuCore(GpuRuntime runtime, FreeThread frees, String name, int place) {}
