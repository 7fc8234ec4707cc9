// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Two native events, one on which a host thread can sleep, and a plain one. Each recording uses one
 * of them. Belongs to one {@link GpuEvent} at first, and to several while they share a recording.
 */
public final class EventPair {
  // Both 0 once destroyed.
  private long blocking;
  private long plain;

  // Written by the issuing thread when it records; read by threads that wait for the event.
  private volatile long recorded;
  private volatile long position;

  /**
   * How many events have this pair. Written under the lock of {@code LatestEvent}. The issuing
   * thread reads it without the lock, since no other thread writes it before the last submission:
   * other threads only end events, which {@code NativeStream.destroyEvent} excludes until then.
   */
  public int users = 1;

  /** The link in the list of those that no event has. */
  public @Nullable EventPair nextFree;

  public EventPair(long blocking, long plain) {
    this.blocking = blocking;
    this.plain = plain;
    this.recorded = plain;
  }

  /** The native event that was recorded last. */
  public long recorded() {
    return recorded;
  }

  /** Whether a host thread can sleep on {@link #recorded}. */
  public boolean isBlocking() {
    return recorded == blocking;
  }

  /** The number of its latest recording; the recordings of a stream are counted from 1. */
  public long position() {
    return position;
  }

  public void setRecorded(boolean canSleep, long newPosition) {
    recorded = canSleep ? blocking : plain;
    position = newPosition;
  }

  /**
   * Destroys both native events after their last use.
   *
   * @throws IllegalStateException if they are destroyed
   */
  public void destroy(GpuRuntime runtime) {
    long first = blocking;
    long second = plain;
    blocking = 0;
    plain = 0;
    recorded = 0;
    try {
      runtime.destroyEvent(first);
    } finally {
      runtime.destroyEvent(second);
    }
  }
}
