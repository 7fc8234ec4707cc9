// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.Serializable;
import java.util.Objects;

/**
 * The operation that is the origin of a failure. The operations that depend on it fail too.
 * Immutable.
 *
 * @param queue the name of its queue, unique in the process, such as {@code mock-0-q1}
 * @param number its number in the queue, as in {@link Hal#explain} and in recordings
 * @param kind what it does, such as {@code fill}
 */
public record FailedOperation(String queue, long number, String kind) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Rejects null. */
  public FailedOperation {
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(kind, "kind");
  }

  /** Returns the operation in the form {@code mock-0-q1 operation 13 (fill)}. */
  @Override
  public String toString() {
    return queue + " operation " + number + " (" + kind + ")";
  }
}
