// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import org.jhal.driver.support.FreeThread;

/**
 * An open device as its parts see it.
 *
 * @param runtime the native calls
 * @param frees makes the releases for which the runtime waits until the device is idle
 * @param name {@code DRIVER-INDEX}
 * @param place the {@link GpuMemory#place} of the device's own memory
 */
public record GpuCore(GpuRuntime runtime, FreeThread frees, String name, int place) {}
