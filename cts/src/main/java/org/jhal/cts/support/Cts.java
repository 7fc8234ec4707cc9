// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.HostCall;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * The fixture of one test: the device under test, and resources that are closed after the test.
 *
 * <pre>{@code
 * @Test
 * @Rule("M6")
 * void fillsABuffer(Cts cts) {
 *   TimelineSemaphore done = cts.semaphore();
 *   DeviceBuffer buffer = cts.buffer(16);
 *   cts.queue().fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(7));
 *   awaitReached(done, 1);
 *   assertBytes(filled(16, 7), cts.read(buffer), "filled buffer");
 * }
 * }</pre>
 *
 * <p>{@link Waits} has the waits, {@link TestData} the data and {@link Task} further threads.
 * {@link Commands} makes recordings that run directly and through a binding table.
 *
 * <p>Used by the test's own thread; {@link #closing} and the methods that create resources, by any
 * thread.
 */
public interface Cts {
  /** The start of the message of an unsupported test. */
  String UNSUPPORTED = "unsupported: ";

  /**
   * An exception to throw if the backend lacks what the test needs; the test is then unsupported.
   */
  static TestAbortedException unsupported(String reason) {
    return new TestAbortedException(UNSUPPORTED + reason);
  }

  /** The device under test; a separate one for this test with {@link FreshDevice}. */
  Device device();

  /**
   * Makes the test unsupported unless the device loads one of these formats.
   *
   * @param formats of executables, such as {@code java}
   */
  default void needsFormat(String... formats) {
    if (Collections.disjoint(device().executableFormats(), List.of(formats))) {
      throw unsupported("the device does not load the format " + String.join(" or ", formats));
    }
  }

  /** Another device of the same driver; the test is unsupported if there is none. */
  Device second();

  /** A device of another driver; the test is unsupported if there is none. */
  Device other();

  /**
   * Opens the device under test once more, for this test alone.
   *
   * @param options to open it with, each {@code NAME=VALUE}
   */
  Device open(String... options);

  /**
   * Opens another device of the same driver, for this test alone; the test is unsupported if there
   * is none. Like {@link #second}, it may be the device under test opened again.
   *
   * @param options to open it with, each {@code NAME=VALUE}
   */
  Device openSecond(String... options);

  /**
   * Devices for a group: the device under test, the second one, and further ones that are opened
   * for this test alone.
   */
  default List<Device> ranks(int count) {
    List<Device> ranks = new ArrayList<>();
    for (int rank = 0; rank < count; rank++) {
      ranks.add(rank == 0 ? device() : rank == 1 ? second() : open());
    }
    return ranks;
  }

  /**
   * Devices for a group that a test may lose or close: all are opened for this test alone.
   *
   * @param options to open them with, each {@code NAME=VALUE}
   */
  default List<Device> ownRanks(int count, String... options) {
    List<Device> ranks = new ArrayList<>();
    for (int rank = 0; rank < count; rank++) {
      ranks.add(rank == 1 ? openSecond(options) : open(options));
    }
    return ranks;
  }

  /** The URI of the device under test. */
  String uri();

  /** The backend under test. */
  CtsBackend backend();

  /** The controls of a device that this test uses, or null if there are none. */
  @Nullable Controls findControls(Device device);

  /**
   * The suite's kernels on a device, of the driver under test, that this test uses. The suite
   * closes them.
   */
  Executable kernels(Device device);

  /**
   * Loads the suite's kernels on all devices of the driver under test that this test uses. A native
   * runtime may be unable to load anything while work runs on the GPU, and several devices may be
   * one GPU.
   */
  void loadKernels();

  /** Random numbers, reproducible with the seed that a failure prints. */
  Random random();

  /**
   * Closes {@code resource} after the test. Resources are closed in reverse order of these calls.
   */
  <T extends AutoCloseable> T closing(T resource);

  /** Allows this test to leave resources on its own devices. */
  void allowLeftovers();

  /** Allows warnings that contain {@code part}. */
  void allowLog(String part);

  /** Allows all warnings, for a test whose actions a driver may warn about. */
  void allowWarnings();

  /** Waits for a warning that contains {@code part}, and allows it. */
  void awaitLog(String part);

  /**
   * The grid of one workgroup in memory of a device, the same buffer for the whole test. It takes
   * no work of a queue.
   */
  DeviceBuffer oneWorkgroup(Device device);

  /** The first queue of the device under test. */
  default DeviceQueue queue() {
    return device().queue(0);
  }

  /** A queue of the device under test. */
  default DeviceQueue queue(int index) {
    return device().queue(index);
  }

  /** The controls of the device under test, for tests that {@link Need#CONTROLS need} them. */
  default Controls controls() {
    return controls(device());
  }

  /** The controls of a device. */
  default Controls controls(Device device) {
    Controls controls = findControls(device);
    if (controls == null) {
      throw unsupported(Need.CONTROLS.absence());
    }
    return controls;
  }

  /** Ends the test as unsupported if a device has no native call of this name to make fail. */
  default void needCall(Device device, String name) {
    if (!controls(device).calls().contains(name)) {
      throw unsupported("the driver has no native call named " + name);
    }
  }

  /** A timeline at 0, closed after the test. */
  default TimelineSemaphore semaphore() {
    return semaphore(0);
  }

  /** A timeline, closed after the test. */
  default TimelineSemaphore semaphore(long initialValue) {
    return semaphore(device(), initialValue);
  }

  /** A timeline of {@code device}, closed after the test. */
  default TimelineSemaphore semaphore(Device device, long initialValue) {
    return closing(device.createSemaphore(initialValue));
  }

  /** A buffer in device memory, closed after the test. */
  default DeviceBuffer buffer(long bytes) {
    return buffer(device(), bytes, BufferParams.DEVICE);
  }

  /** A buffer of {@code device}, closed after the test. */
  default DeviceBuffer buffer(Device device, long bytes, BufferParams params) {
    return closing(device.allocate(bytes, params));
  }

  /** A buffer in device memory that holds {@code content}, closed after the test. */
  default DeviceBuffer buffer(byte[] content) {
    return buffer(device(), content);
  }

  /** A buffer in memory of {@code device} that holds {@code content}, closed after the test. */
  default DeviceBuffer buffer(Device device, byte[] content) {
    DeviceBuffer buffer = buffer(device, content.length, BufferParams.DEVICE);
    write(buffer, 0, content);
    return buffer;
  }

  /** Writes bytes through the first queue of the buffer's device, and waits for it. */
  default void write(DeviceBuffer buffer, long offset, byte[] content) {
    try (TimelineSemaphore done = buffer.device().createSemaphore(0)) {
      DeviceQueue queue = buffer.device().queue(0);
      queue.upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, offset);
      Waits.awaitReached(done, 1);
    }
  }

  /** All bytes of a buffer, read through the first queue of its device. */
  default byte[] read(DeviceBuffer buffer) {
    return read(buffer, 0, Math.toIntExact(buffer.size()));
  }

  /** Bytes of a buffer, read through the first queue of its device. */
  default byte[] read(DeviceBuffer buffer, long offset, int length) {
    byte[] bytes = new byte[length];
    try (TimelineSemaphore done = buffer.device().createSemaphore(0)) {
      DeviceQueue queue = buffer.device().queue(0);
      queue.readback(Fence.NONE, done.at(1), buffer, offset, ByteBuffer.wrap(bytes));
      Waits.awaitReached(done, 1);
    }
    return bytes;
  }

  /** The suite's kernels on the device under test. The suite closes them. */
  default Executable kernels() {
    return kernels(device());
  }

  /** One of the suite's kernels on the device under test. */
  default Kernel kernel(String name) {
    return kernels().kernel(name);
  }

  /** One of the suite's kernels on a device that this test uses. */
  default Kernel kernel(Device device, String name) {
    return kernels(device).kernel(name);
  }

  /**
   * Lets everything that could start now start: runs work without waits on {@code queue}, after
   * everything that was enqueued on it, and waits for that work.
   */
  default void flush(DeviceQueue queue) {
    try (DeviceBuffer probe = queue.device().allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = queue.device().createSemaphore(0)) {
      queue.readback(Fence.NONE, done.at(1), probe, 0, ByteBuffer.allocate(4));
      // A thread that waits for device work may see it end before the queue's own threads have
      // processed earlier operations. A host call starts only after that.
      queue.hostCall(done.at(1), done.at(2), HostCall.Mode.BLOCKING, call -> {});
      Waits.awaitReached(done, 2);
    }
  }

  /** Waits until no operation of the device under test is open: all have retired. */
  default void awaitIdle() {
    Waits.awaitRetired(uri(), device());
  }
}
