// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import java.util.function.BooleanSupplier;

/**
 * What has promised to raise a timeline and is in a stream already, so that its native event covers
 * the value: an operation of a queue, as timelines and those who wait for them see it.
 */
public interface Producer {
  /** How long a host thread should poll its event before it parks, in nanoseconds. */
  long spinNanos();

  /**
   * For a host thread: polls the event until {@code end} or until {@code isOver} returns true, and
   * settles the operation if the event has fired. Returns whether the operation is settled.
   */
  boolean settleWhenFired(long end, BooleanSupplier isOver);

  /**
   * Somebody wants to know soon when it is over. Takes no lock, and may be called with one held.
   */
  void want();
}
