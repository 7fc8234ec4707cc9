// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

/** The memory behind a buffer, implemented by a driver. Thread-safe. */
public interface DeviceMemory {
  /** The size in bytes. */
  long size();

  /**
   * Maps a range for the host. Only called if the buffer's usage allows mapping.
   *
   * @param offset where the range starts, in bytes
   * @param length in bytes
   */
  MappedRange map(long offset, int length);

  /**
   * Frees the memory immediately. Called once, when no issued work uses it; not called if it was
   * freed in stream order.
   */
  void free();

  /**
   * As {@link #free()}, and then calls {@code then} once, on any thread, when the native runtime
   * does not use the memory any more. Drivers override this if their {@link #free()} leaves slow
   * calls to another thread.
   */
  default void free(Runnable then) {
    try {
      free();
    } finally {
      then.run();
    }
  }
}
