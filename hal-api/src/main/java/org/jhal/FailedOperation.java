package org.jhal;

import java.io.Serializable;
import java.util.Objects;

/**
 * The operation that failed by itself, and with it those that depend on it.
 *
 * @param queue the name of its queue, unique in the process, such as {@code cuda-0-q1}
 * @param number its number in the queue, as {@link Hal#explain} and recordings tell it
 * @param kind what it does, such as {@code fill}
 */
public record FailedOperation(String queue, long number, String kind) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** An operation of these components. */
  public FailedOperation {
    Objects.requireNonNull(queue, "queue");
    Objects.requireNonNull(kind, "kind");
  }

  /** {@code cuda-0-q1 operation 13 (fill)}. */
  @Override
  public String toString() {
    return queue + " operation " + number + " (" + kind + ")";
  }
}
