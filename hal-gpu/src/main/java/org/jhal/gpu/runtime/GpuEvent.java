// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

/**
 * An event as the engine sees it: the native events that were recorded for it, which several may
 * share; see {@code LatestEvent}.
 */
public final class GpuEvent {
  // Written by the issuing thread before it records; read by threads that wait for the event.
  private volatile EventPair pair;

  /** Creates an event with a pair of its own. */
  public GpuEvent(EventPair pair) {
    this.pair = pair;
  }

  /** The native events. */
  public EventPair pair() {
    return pair;
  }

  /** Gives it other native events. The caller counts the users of both pairs. */
  public void setPair(EventPair other) {
    pair = other;
  }
}
