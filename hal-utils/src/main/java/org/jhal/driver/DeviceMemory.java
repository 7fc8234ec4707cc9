package org.jhal.driver;

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

  /**
   * As {@link #free}, and calls {@code then} once, when nothing native knows the memory any more.
   * For drivers whose {@link #free} leaves what may take long to another thread; {@code then} may
   * be called on any.
   */
  default void free(Runnable then) {
    try {
      free();
    } finally {
      then.run();
    }
  }
}
