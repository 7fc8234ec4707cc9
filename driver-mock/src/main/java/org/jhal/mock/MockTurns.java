// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jhal.QueueRequest.Priority;
import org.jhal.kernels.workgroup.Monitors;

/**
 * In which order the streams of a device begin what they could begin at the same time: work of a
 * lower priority waits as long as a stream of a higher one has work that could begin, or runs some.
 * Streams with the same priority do not wait for each other.
 *
 * <p>Thread-safe.
 */
final class MockTurns {
  private final List<MockStream> streams = new CopyOnWriteArrayList<>();

  private volatile boolean isRanked; // a stream with another priority than NORMAL has existed

  @GuardedBy("this")
  private long changes;

  void add(MockStream stream) {
    streams.add(stream);
    isRanked |= stream.priority() != Priority.NORMAL;
  }

  void remove(MockStream stream) {
    streams.remove(stream);
    changed();
  }

  /** Work has ended, a stream is held or goes on, or the device is lost. */
  void changed() {
    if (isRanked) {
      synchronized (this) {
        changes++;
        notifyAll();
      }
    }
  }

  /** Waits until a stream may begin work that can begin, or the device is lost. For its thread. */
  void await(MockStream stream, BooleanSupplier isLost) {
    while (isRanked) {
      long seen = changes(); // before the look: what changes behind it ends the wait
      if (isLost.getAsBoolean() || !mustWait(stream)) {
        return;
      }
      awaitChange(seen);
    }
  }

  private synchronized long changes() {
    return changes;
  }

  private boolean mustWait(MockStream stream) {
    return streams.stream()
        .anyMatch(other -> other.priority().compareTo(stream.priority()) > 0 && other.hasTurn());
  }

  private synchronized void awaitChange(long seen) {
    Monitors.await(this, () -> changes() != seen);
  }
}
