package org.jhal.gpu.natives;

/**
 * Ranges that a vendor's profiler shows beside its own events. A range may be started on one thread
 * and ended on another one.
 *
 * <p>Thread-safe.
 */
public interface RangeMarks {
  /** Starts a range; returns what {@link #end} takes. */
  long start(String name);

  /** Ends a range. */
  void end(long range);
}
