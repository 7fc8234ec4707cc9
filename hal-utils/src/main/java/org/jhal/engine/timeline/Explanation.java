// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import org.jhal.HalException;
import org.jhal.Timepoint;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;

/**
 * Builds the text that says what keeps a value from being reached (rule S10), from the open
 * operations of all open devices.
 *
 * <p>An operation that begins only once the value is reached would not raise it, with one exception
 * that is worth reporting: one that waits for its own signal, if no other one would raise it.
 */
final class Explanation {
  /** Operations, of which the first few are described and the rest is only counted. */
  private static final class Listing {
    private static final int MOST = 5;

    private final StringBuilder text = new StringBuilder();
    private int count;

    void add(OpenOperation operation) {
      if (count++ < MOST) {
        text.append(count == 1 ? "" : "; or by ").append(operation);
      }
    }

    @Override
    public String toString() {
      return text + (count > MOST ? "; or by " + (count - MOST) + " more" : "");
    }
  }

  private final EngineSemaphore semaphore;
  private final long value;
  private final Listing able = new Listing();
  private final Listing inVain = new Listing();

  private Explanation(EngineSemaphore semaphore, long value) {
    this.semaphore = semaphore;
    this.value = value;
  }

  static String of(EngineSemaphore semaphore, long value) {
    HalException failed = semaphore.over();
    if (failed != null) {
      return semaphore + " has failed or was closed: " + failed;
    }
    Explanation explanation = new Explanation(semaphore, value);
    for (Explainable device : Explanations.all()) {
      try {
        device.reportOpen(semaphore, explanation::look);
      } catch (RuntimeException | LinkageError e) { // of a driver with an engine of its own
        continue; // the other devices may still report theirs
      }
    }
    return semaphore + " is at " + semaphore.currentValue() + explanation.finish();
  }

  /** Lists an operation that would raise the value, or would, but waits for its own signal. */
  private void look(OpenOperation operation) {
    for (Timepoint signal : operation.signals()) {
      if (signal.semaphore() == semaphore && signal.value() >= value) {
        if (!waitsFor(operation, value)) {
          able.add(operation);
        } else if (waitsFor(operation, signal.value())) {
          inVain.add(operation);
        }
      }
    }
  }

  /** Whether an operation begins only once the semaphore has reached {@code least}, or more. */
  private boolean waitsFor(OpenOperation operation, long least) {
    return operation.waits().stream()
        .anyMatch(wait -> wait.semaphore() == semaphore && wait.value() >= least);
  }

  private String finish() {
    String raised = "; to be raised to " + value + " by ";
    if (able.count > 0) {
      return raised + able;
    }
    return switch (inVain.count) {
      case 0 -> ", and no open operation would raise it to " + value;
      case 1 -> raised + inVain + ": promised only by itself";
      default -> raised + inVain + ": promised only by operations that wait for it themselves";
    };
  }
}
