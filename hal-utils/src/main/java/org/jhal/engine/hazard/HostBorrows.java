// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/**
 * The operations that have borrowed one host memory since the program last saw it free, and what
 * comes before them. Guarded by the record's lock.
 */
final class HostBorrows {
  private Clock ends = Clock.NONE;

  void add(Clock end) {
    ends = ends.union(end);
  }

  /** The program has seen the memory free. */
  void observed() {
    ends.observe();
    ends = Clock.NONE;
  }
}
