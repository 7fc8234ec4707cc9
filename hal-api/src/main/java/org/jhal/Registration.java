// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/** A registered callback, which can be cancelled. Thread-safe. */
public interface Registration {
  /**
   * Cancels the callback. Other observers of the same timepoint are not affected.
   *
   * @return true if the callback has not run and never will; false if it has run, is running or was
   *     cancelled before
   */
  boolean cancel();
}
