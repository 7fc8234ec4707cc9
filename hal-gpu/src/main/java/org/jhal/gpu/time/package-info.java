/**
 * When operations ran on the device: its clock, mapped to the host's, and pairs of events around
 * what is timed.
 *
 * <p>In it comes what measures time by the device. Spans on the host, such as the end of a wait,
 * are the engine's.
 */
@NullMarked
package org.jhal.gpu.time;

import org.jspecify.annotations.NullMarked;
