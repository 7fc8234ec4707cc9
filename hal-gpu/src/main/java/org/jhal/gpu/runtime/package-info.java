/**
 * The calls on an open device: {@link org.jhal.gpu.runtime.GpuRuntime} and {@link
 * org.jhal.gpu.runtime.GraphRuntime}, to which drivers add what differs, and what goes with them:
 * events, memory as commands see it, page-locked ranges, deferred frees.
 *
 * <p>In it comes what maps to one or two native calls, and what all parts of a device need of it
 * ({@link org.jhal.gpu.runtime.GpuCore}). What decides when something is called, or keeps it, is in
 * the packages for memory, transfers, streams, graphs, time and collectives.
 */
@NullMarked
package org.jhal.gpu.runtime;

import org.jspecify.annotations.NullMarked;
