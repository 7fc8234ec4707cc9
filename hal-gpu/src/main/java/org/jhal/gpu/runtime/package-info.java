// SPDX-License-Identifier: Apache-2.0
/**
 * The calls on an open device: {@link org.jhal.gpu.runtime.GpuRuntime} and {@link
 * org.jhal.gpu.runtime.GraphRuntime}, which drivers complete, with events, memory as commands see
 * it, page-locked ranges and deferred frees.
 *
 * <p>Code that maps to one or two native calls belongs here, and code for all parts of a device
 * ({@link org.jhal.gpu.runtime.GpuCore}). The packages for memory, transfers, streams, graphs, time
 * and collectives decide when to make the calls.
 */
@NullMarked
package org.jhal.gpu.runtime;

import org.jspecify.annotations.NullMarked;
