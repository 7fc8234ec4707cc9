// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.spi.NativeCalls;
import org.jspecify.annotations.Nullable;

/**
 * The external work of the suite: it fills and copies memory, through the native runtime if the
 * device gives access to it, else by writing the bytes.
 */
public final class ExternalCommands {
  /** Why a test of external work is skipped. */
  public static final String UNSUPPORTED = "the driver runs no external work";

  private final @Nullable NativeCalls calls;

  /** For {@code device}; the test is unsupported if its driver runs no external work. */
  public ExternalCommands(Cts cts, Device device) {
    this(device);
    if (!isOffered(cts, device)) {
      throw Cts.unsupported(UNSUPPORTED);
    }
  }

  private ExternalCommands(Device device) {
    calls = lendsItsRuntime(device) ? nativeCalls(device) : null;
  }

  /** Whether the driver of {@code device} runs external work. A driver with native access must. */
  static boolean isOffered(Cts cts, Device device) {
    if (lendsItsRuntime(device)) {
      return true;
    }
    TimelineSemaphore probed = cts.semaphore(device, 0);
    try {
      device.queue(0).external(Fence.NONE, probed.at(1), List.of(), context -> {});
    } catch (HalException e) {
      if (e.status() == Status.UNIMPLEMENTED) {
        return false;
      }
      throw e;
    }
    // Other tests check how it ends.
    Waits.awaitTrue("external work to end", () -> Waits.isOver(probed, 1));
    return true;
  }

  /** Enqueues external work that only fills a buffer. */
  static void enqueueFill(DeviceQueue queue, Fence waits, Fence signals, DeviceBuffer buffer) {
    ExternalCommands external = new ExternalCommands(queue.device());
    queue.external(waits, signals, List.of(buffer), context -> external.fill(context, buffer, 0));
  }

  private static boolean lendsItsRuntime(Device device) {
    return device.capabilities().contains(Capability.NATIVE_ACCESS);
  }

  /**
   * The native runtime of a device. Each device with {@code NATIVE_ACCESS} must give access to it.
   */
  public static NativeCalls nativeCalls(Device device) {
    return device.unwrap(NativeCalls.class);
  }

  /**
   * Whether external work gets a native stream, and runs before the work that it enqueues there.
   */
  public boolean isNative() {
    return calls != null;
  }

  /** The native runtime; only if {@link #isNative}. */
  public NativeCalls calls() {
    return Objects.requireNonNull(calls);
  }

  /** Fills a buffer. */
  public void fill(ExternalWork.Context context, DeviceBuffer target, int value) {
    if (calls != null) {
      calls.fill(context.stream(), context.address(target), (byte) value, target.size());
      return;
    }
    ByteBuffer bytes = context.bytes(target);
    while (bytes.hasRemaining()) {
      bytes.put((byte) value);
    }
  }

  /** Copies all of a buffer to the start of another one. */
  public void copy(ExternalWork.Context context, DeviceBuffer source, DeviceBuffer target) {
    if (calls != null) {
      calls.copy(context.stream(), context.address(target), context.address(source), source.size());
    } else {
      context.bytes(target).put(context.bytes(source));
    }
  }
}
