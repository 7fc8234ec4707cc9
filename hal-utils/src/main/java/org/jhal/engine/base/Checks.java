// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.util.Objects;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * Checks arguments for all drivers (rule M5). A message names the argument, its value and the
 * limit. Each method throws a {@link HalException} for what it refuses.
 */
public final class Checks {
  private Checks() {}

  /** Checks that every wait and every signal is possible. */
  public static void fences(Fence waits, Fence signals) {
    Objects.requireNonNull(waits, "waits");
    Objects.requireNonNull(signals, "signals");
    for (int i = 0; i < waits.size(); i++) {
      EngineSemaphore.of(waits.semaphore(i)).checkOpen();
    }
    for (int i = 0; i < signals.size(); i++) {
      EngineSemaphore.of(signals.semaphore(i)).checkFutureSignal(signals.value(i));
    }
  }

  /**
   * Describes a foreign device. One device that is opened twice has the same name twice, which the
   * text then explains.
   */
  public static String otherThan(DeviceCore<?> device, @Nullable DeviceCore<?> other) {
    return "another device, not "
        + device.name()
        + (other != null && other.name().equals(device.name())
            ? "; it was opened more than once, and each opening is a separate device"
            : "");
  }

  /** Names the device that something was made for, and says that it is not {@code device}. */
  public static String namesOf(DeviceCore<?> device, @Nullable DeviceCore<?> other) {
    return other == null || other.name().equals(device.name())
        ? otherThan(device, other)
        : other.name() + ", not " + device.name();
  }

  /** Refuses a kind of command that the driver does not support. Nothing else checks that. */
  public static Command.Kind supported(DeviceCore<?> device, Command.Kind kind) {
    if (!device.supportedCommands().contains(kind)) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          (device.name() + " runs no commands of kind " + kind)
              + ("; it runs " + device.supportedCommands()));
    }
    return kind;
  }

  public static void range(String what, long offset, long length, long size) {
    if (offset < 0 || length < 0 || offset > size - length) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "%s: offset %s, length %s does not fit into %s bytes"
              .formatted(what, offset, length, size));
    }
  }

  public static void multiple(String what, long value, int unit) {
    if (value % unit != 0) {
      throw new HalException(
          Status.INVALID_ARGUMENT, what + " " + value + " must be a multiple of " + unit);
    }
  }
}
