// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.util.List;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;

/**
 * A snapshot of an operation that has not ended. Immutable.
 *
 * @param queue the name of its queue, unique in the process, such as {@code mock-0-q1}
 * @param number its number in the queue
 * @param kind what it does, such as {@code fill}
 * @param state its state, such as {@code PARKED}
 * @param since when it was enqueued, as {@link System#nanoTime()}; accurate to about a second
 * @param waits the timepoints that it still waits for; reached ones may be missing
 * @param signals the timepoints that it will signal
 */
public record OpenOperation(
    String queue,
    long number,
    String kind,
    String state,
    long since,
    List<Timepoint> waits,
    List<Timepoint> signals) {

  /** Rejects null, and copies the lists. */
  public OpenOperation {
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(state, "state");
    waits = List.copyOf(waits);
    signals = List.copyOf(signals);
  }

  /** Returns the operation and what it waits for, in one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(queue).append(" operation ").append(number);
    text.append(" (").append(kind).append(", ").append(state);
    for (Timepoint wait : waits) {
      TimelineSemaphore semaphore = wait.semaphore();
      try {
        long now = semaphore.value();
        if (now < wait.value()) {
          text.append(", waits for ").append(semaphore).append(" to reach ").append(wait.value());
          text.append(", now at ").append(now);
        }
      } catch (HalException over) { // the timeline has failed or is closed: the wait ends
        text.append(", waits for ").append(semaphore).append(", which is over");
      }
    }
    return text.append(')').toString();
  }
}
