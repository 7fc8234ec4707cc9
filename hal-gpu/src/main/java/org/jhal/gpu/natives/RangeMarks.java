// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

/**
 * Ranges that a vendor's profiler shows. A range may start on one thread and end on another one.
 *
 * <p>Thread-safe.
 */
public interface RangeMarks {
  /** Starts a range; returns what {@link #end} takes. */
  long start(String name);

  /** Ends a range. */
  void end(long range);
}
