// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.kernel;

import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jspecify.annotations.Nullable;

/** The smallest dispatch whose effect can be seen: one work item writes one word. */
public final class Touch implements AutoCloseable {
  /** The grid. */
  public static final Workgroups ONE = Workgroups.of(1);

  /** What the kernel writes. */
  public static final int VALUE = 42;

  /** The kernel {@code touch}, in all formats. */
  public static final ExecutableSource BUNDLE = ExecutableSource.ofResources(Touch.class, "touch");

  /** The same without precompiled code, for devices that accept source. */
  public static final ExecutableSource SOURCE =
      ExecutableSource.ofResources(Touch.class, "touch-source");

  private final Device device;
  private final Executable executable;
  private final Kernel kernel;
  private final DeviceBuffer target;
  private final Args args;

  /**
   * Loads the kernel, and allocates the buffer that it writes to.
   *
   * @param own a bundle with the kernel instead of {@link #BUNDLE}, or null
   * @throws NotAvailableException if the device can load none of its formats
   */
  public Touch(Device device, @Nullable ExecutableSource own) throws NotAvailableException {
    this.device = device;
    executable = load(device, own == null ? BUNDLE : own);
    kernel = executable.kernel("touch");
    target = device.allocate(Integer.BYTES, BufferParams.DEVICE);
    args = Args.of(target, VALUE);
  }

  private static Executable load(Device device, ExecutableSource bundle)
      throws NotAvailableException {
    try {
      return Bench.load(device, bundle);
    } catch (NotAvailableException e) {
      throw new NotAvailableException(
          e.getMessage() + "; --kernels takes a bundle with the kernel in a format of the device");
    }
  }

  /** A file of the kernel's bundle. */
  public static byte[] file(String name) {
    return Objects.requireNonNull(BUNDLE.read(name), name);
  }

  /** Takes a buffer and the value to write there. */
  public Kernel kernel() {
    return kernel;
  }

  /** Enqueues one dispatch. */
  public void submit(DeviceQueue queue, Fence waits, Fence signals) {
    queue.dispatch(waits, signals, kernel, ONE, args);
  }

  /** Clears the word that the kernel writes. */
  public void clear() throws InterruptedException {
    clear(device, target);
  }

  /** Sets the first word of {@code buffer} to zero. */
  public static void clear(Device device, DeviceBuffer buffer) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, Integer.BYTES, FillPattern.ZERO);
      done.await(1, Bench.DEADLINE);
    }
  }

  /**
   * Checks that the kernel has run since {@link #clear()}, after its signals were waited for.
   *
   * @throws IllegalStateException if it has not
   */
  public void check() throws InterruptedException {
    expect(device, target, 0, VALUE);
  }

  /** Checks the word at {@code offset} of {@code buffer}. */
  public static void expect(Device device, DeviceBuffer buffer, long offset, int expected)
      throws InterruptedException {
    int[] word = {~expected};
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, offset, HostMemory.of(word));
      done.await(1, Bench.DEADLINE);
    }
    if (word[0] != expected) {
      throw new IllegalStateException(
          "the device's memory has " + word[0] + " where " + expected + " should be");
    }
  }

  @Override
  public void close() {
    executable.close();
    target.close();
  }
}
