// SPDX-License-Identifier: Apache-2.0
/**
 * When operations ran on the device: its clock, mapped to the host's, and pairs of events around
 * timed work.
 *
 * <p>Code that measures the device's time belongs here. Spans on the host, such as waits, are the
 * engine's.
 */
@NullMarked
package org.jhal.gpu.time;

import org.jspecify.annotations.NullMarked;
