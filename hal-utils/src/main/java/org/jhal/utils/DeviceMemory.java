package org.jhal.utils;

/** A driver's memory behind a buffer. Thread-safe. */
public interface DeviceMemory {
  /** How many bytes it has. */
  long size();

  /**
   * Makes a range reachable for the host. Only called where the buffer's usage allows mapping.
   *
   * @param length at most {@link Integer#MAX_VALUE}
   */
  MappedRange map(long offset, int length);

  /**
   * Gives the memory back at once. Called once, when no issued work uses it, and not if it was
   * freed in stream order.
   */
  void free();
}
