// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.util.function.Consumer;
import org.jhal.DeviceHealth;
import org.jhal.DeviceInfo;
import org.jhal.DeviceStatistics;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.TimelineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * An open device that reports its open operations to {@link Hal#explain}, and its state to {@link
 * Hal#deviceStates} and {@link DeviceHealth}. A driver that does not use the engine of JHAL passes
 * one for each open device to {@link Explanations#register}.
 *
 * <p>Any thread may call the methods at any time, including a thread that runs a callback or issues
 * work, and while the device hangs, is lost or is being closed. So the methods must not wait, and
 * must not hold a lock for long.
 */
public interface Explainable {
  /** Returns the name of the device, such as {@code mock-0}. */
  String name();

  /** Returns why the device is lost, or null if it is not. */
  @Nullable HalException lostCause();

  /**
   * Passes the open operations to {@code looker}, on this thread and with no lock held. The
   * operations of a queue are passed together, the newest first: if there are too many, the last
   * ones are kept. Operations that begin or end meanwhile may be missed.
   *
   * <p>An operation that is missed because it has ended must have made its signals visible before.
   */
  void reportOpen(Consumer<OpenOperation> looker);

  /**
   * Passes at least those open operations that signal {@code semaphore}; otherwise as {@link
   * #reportOpen(Consumer)}. An engine that describes no others saves most of the time beside many
   * open operations.
   */
  default void reportOpen(TimelineSemaphore semaphore, Consumer<OpenOperation> looker) {
    reportOpen(looker);
  }

  /**
   * Returns the open operation that was enqueued first, or null if none is open; for {@link
   * DeviceHealth#check}, which is called often. By default it is found with {@link
   * #reportOpen(Consumer)}, which describes all of them.
   */
  default @Nullable OpenOperation oldestOpen() {
    @Nullable OpenOperation[] oldest = new @Nullable OpenOperation[1];
    reportOpen(
        operation -> {
          OpenOperation known = oldest[0];
          if (known == null || operation.since() - known.since() < 0) {
            oldest[0] = operation;
          }
        });
    return oldest[0];
  }

  /**
   * Returns the properties of the device, or null, which is the default: then {@link
   * Hal#deviceStates} does not include the device.
   */
  default @Nullable DeviceInfo info() {
    return null;
  }

  /**
   * Returns the statistics of the device, or null, which is the default: then {@link
   * Hal#deviceStates} does not include the device.
   */
  default @Nullable DeviceStatistics statistics() {
    return null;
  }
}
