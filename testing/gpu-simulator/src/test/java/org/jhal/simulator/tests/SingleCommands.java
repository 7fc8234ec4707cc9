// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.GraphStatistics;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.fixture.SimulatedDevices;

/** A device with its kernels, to which single commands are enqueued, each behind the one before. */
final class SingleCommands implements AutoCloseable {
  /** More uses than any graph of one node waits for. */
  static final int MANY = 10;

  /** The room of a list, in numbers. */
  private static final int ROOM = 512;

  final Device device;
  final Executable kernels;
  private final TimelineSemaphore timeline;
  private DeviceQueue queue;
  private long uses;

  /** Opens device 0 with one queue and more options, each with its {@code &}. */
  SingleCommands(SimulatedDevices sim, String options) {
    this(sim, 1, options);
  }

  SingleCommands(SimulatedDevices sim, int queues, String options) {
    device = sim.open(sim.driver().name() + "://0?queues=" + queues + options);
    kernels = device.loadExecutable(CtsKernels.bundle());
    timeline = device.createSemaphore(0);
    queue = device.queue(0);
  }

  /** Enqueues to another queue from now on. */
  void useQueue(int index) {
    queue = device.queue(index);
  }

  /** The first command behind all earlier ones. */
  Fence before() {
    return timeline.at(uses);
  }

  /** The end of a new command. */
  Fence next() {
    return timeline.at(++uses);
  }

  Fence last() {
    return timeline.at(uses);
  }

  /** Zeros. */
  DeviceBuffer zeros(int bytes) {
    DeviceBuffer made = device.allocate(bytes, BufferParams.DEVICE);
    queue.fill(before(), next(), made, 0, bytes, FillPattern.ZERO);
    return made;
  }

  /** An empty list for {@link #append}. */
  DeviceBuffer list() {
    return zeros(4 * (1 + ROOM));
  }

  /** 0, 1, 2 and so on. */
  DeviceBuffer numbers() {
    DeviceBuffer made = device.allocate(4 * ROOM, BufferParams.DEVICE);
    queue.upload(before(), next(), ByteBuffer.wrap(ints(ROOM, i -> i)), made, 0);
    return made;
  }

  void append(DeviceBuffer list, int value) {
    dispatch("append", Workgroups.of(1), Args.of(list, value));
  }

  /** Appends 0, 1, 2 and so on. */
  void append(DeviceBuffer list, int from, int to) {
    for (int i = from; i < to; i++) {
      append(list, i);
    }
  }

  void dispatch(String kernel, Workgroups count, Args args) {
    queue.dispatch(before(), next(), kernels.kernel(kernel), count, args);
  }

  void copy(DeviceBuffer source, long from, DeviceBuffer target, long to, long bytes) {
    queue.copy(before(), next(), source, from, target, to, bytes);
  }

  /** Fills an array with the bytes from {@code from} on. */
  void readback(DeviceBuffer source, long from, byte[] target) {
    queue.readback(before(), next(), source, from, ByteBuffer.wrap(target));
  }

  /** The same, waiting for nothing. It may end after later ones; its memory is free at the end. */
  void readbackAtOnce(DeviceBuffer source, long from, HostMemory target) {
    queue.readback(Fence.NONE, next(), source, from, target);
  }

  void await() {
    awaitReached(last());
  }

  GraphStatistics graphs() {
    return device.statistics().graphs();
  }

  void awaitGraphs(int count) {
    Waits.awaitTrue(count + " graphs", () -> graphs().instances() == count);
  }

  byte[] read(DeviceBuffer buffer, int bytes) {
    byte[] read = new byte[bytes];
    readback(buffer, 0, read);
    await();
    return read;
  }

  /** Checks that a list has the numbers from 0 on. */
  void check(DeviceBuffer list, int count) {
    assertBytes(
        ints(1 + count, i -> i == 0 ? count : i - 1), read(list, 4 * (1 + count)), "the list");
  }

  @Override
  public void close() {
    kernels.close();
    timeline.close();
    device.close();
  }
}
