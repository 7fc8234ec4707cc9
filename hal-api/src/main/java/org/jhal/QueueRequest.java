// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;
import java.util.OptionalDouble;

/**
 * What a program asks of a queue of its own: a priority, and a share of the device. {@link
 * Device#acquireQueue} takes it, and the queue says what it really got (rule Q12).
 *
 * <pre>{@code
 * QueueRequest urgent = QueueRequest.DEFAULT.withPriority(QueueRequest.Priority.HIGH).withShare(0.25);
 * try (AcquiredQueue queue = device.acquireQueue(urgent)) {
 *   System.out.println(queue.granted());
 * }
 * }</pre>
 *
 * <p>Immutable.
 *
 * @param priority which work the device begins first
 * @param share the part of the device's compute units that kernels of this queue have for
 *     themselves, above 0 and at most 1; empty for a queue that uses what no share has taken
 * @param name a part of the queue's name in messages, recordings and threads, of at most {@link
 *     #MAX_NAME} letters, digits, dots, hyphens and underscores; empty for none
 */
public record QueueRequest(Priority priority, OptionalDouble share, String name) {
  /** Which of the work that can begin at the same time a device begins first. */
  public enum Priority {
    /** Behind that of all other queues: for work in the background. */
    LOW,
    /** That of all queues that are not acquired. */
    NORMAL,
    /** Before that of all other queues: for short work for which somebody waits. */
    HIGH
  }

  /** The maximum length of a name, in characters. */
  public static final int MAX_NAME = 32;

  /** The priority of all queues, no share, and no name. */
  public static final QueueRequest DEFAULT =
      new QueueRequest(Priority.NORMAL, OptionalDouble.empty(), "");

  /**
   * Checks what is requested, as far as it does not depend on the device.
   *
   * @throws HalException OUT_OF_RANGE if the share is not above 0 and at most 1, or the name is too
   *     long; INVALID_ARGUMENT for another character in the name
   */
  public QueueRequest {
    Objects.requireNonNull(priority, "priority");
    Objects.requireNonNull(share, "share");
    Objects.requireNonNull(name, "name");
    if (share.isPresent() && !(share.getAsDouble() > 0 && share.getAsDouble() <= 1)) {
      throw new HalException(
          Status.OUT_OF_RANGE, "share " + share.getAsDouble() + " is not above 0 and at most 1");
    }
    if (name.length() > MAX_NAME) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "a queue's name of " + name.length() + " characters; the limit is " + MAX_NAME);
    }
    if (!name.chars().allMatch(QueueRequest::isAllowed)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "queue name '"
              + BoundedText.shown(name)
              + "': letters, digits, dots, hyphens and underscores are allowed");
    }
  }

  private static boolean isAllowed(int c) {
    return c == '.' || c == '-' || c == '_' || (c < 128 && Character.isLetterOrDigit(c));
  }

  /** Returns this request with another priority. */
  public QueueRequest withPriority(Priority value) {
    return new QueueRequest(value, share, name);
  }

  /**
   * Returns this request with a share of the device's compute units.
   *
   * @param value above 0 and at most 1
   * @throws HalException OUT_OF_RANGE for any other number
   */
  public QueueRequest withShare(double value) {
    return new QueueRequest(priority, OptionalDouble.of(value), name);
  }

  /**
   * Returns this request with a name.
   *
   * @throws HalException OUT_OF_RANGE if it is too long; INVALID_ARGUMENT for a character that is
   *     not allowed
   */
  public QueueRequest withName(String value) {
    return new QueueRequest(priority, share, value);
  }
}
