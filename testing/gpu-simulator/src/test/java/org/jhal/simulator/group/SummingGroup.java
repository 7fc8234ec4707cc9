// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;

/** A group of devices, with one int for each rank: its number plus 1. */
final class SummingGroup implements AutoCloseable {
  final List<Device> devices;
  final CollectiveGroup group;
  private final List<DeviceBuffer> sources = new ArrayList<>();
  private final List<DeviceBuffer> targets = new ArrayList<>();
  private final List<TimelineSemaphore> timelines = new ArrayList<>();

  SummingGroup(Options options, Device... devices) {
    this.devices = List.of(devices);
    this.group = CollectiveGroup.of(this.devices, options);
    for (Device device : devices) {
      sources.add(buffer(device, ints(sources.size() + 1)));
      targets.add(buffer(device, ints(-1)));
    }
  }

  SummingGroup(Device... devices) {
    this(Options.DEFAULT, devices);
  }

  static DeviceBuffer buffer(Device device, byte[] content) {
    DeviceBuffer buffer = device.allocate(content.length, BufferParams.DEVICE);
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, 0);
      awaitReached(done, 1);
    }
    return buffer;
  }

  static byte[] content(Device device, DeviceBuffer buffer) {
    byte[] found = new byte[Math.toIntExact(buffer.size())];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(found));
      awaitReached(done, 1);
    }
    return found;
  }

  /** Adds the ints of all; each rank has a timeline, of its own device. */
  List<TimelineSemaphore> start(Fence waits) {
    List<TimelineSemaphore> ends = startApart(waits);
    timelines.addAll(ends);
    return ends;
  }

  /** The same from any thread; the caller closes the timelines. */
  List<TimelineSemaphore> startApart(Fence waits) {
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<Rank> ranks = new ArrayList<>();
    for (int i = 0; i < devices.size(); i++) {
      TimelineSemaphore end = devices.get(i).createSemaphore(0);
      ends.add(end);
      ranks.add(new Rank(waits, end.at(1), sources.get(i), targets.get(i)));
    }
    group.allReduce(Reduction.SUM, ElementType.I32, ranks);
    return ends;
  }

  /** Adds the ints of all, and checks the sums. */
  void check() {
    start(Fence.NONE).forEach(end -> awaitReached(end, 1));
    int sum = devices.size() * (devices.size() + 1) / 2;
    for (int i = 0; i < devices.size(); i++) {
      assertBytes(ints(sum), content(devices.get(i), targets.get(i)), "target of rank " + i);
    }
  }

  /** Sends the int of rank 0 to all, and waits until that is over. */
  void broadcast() {
    List<Rank> ranks = new ArrayList<>();
    try (TimelineSemaphore done = devices.get(0).createSemaphore(0)) {
      for (int i = 0; i < devices.size(); i++) {
        boolean isRoot = i == 0;
        ranks.add(
            new Rank(
                Fence.NONE,
                isRoot ? done.at(1) : Fence.NONE,
                isRoot ? sources.get(i) : null,
                isRoot ? null : targets.get(i)));
      }
      group.broadcast(0, ranks);
      awaitReached(done, 1);
    }
  }

  /** Checks that devices work, alone and together, and are not lost. */
  static void checkUsable(Device... devices) {
    try (SummingGroup group = new SummingGroup(devices)) {
      group.check();
    }
    for (Device device : devices) {
      assertNull(device.lostCause());
    }
  }

  @Override
  public void close() {
    group.close();
    timelines.forEach(TimelineSemaphore::close);
    sources.forEach(DeviceBuffer::close);
    targets.forEach(DeviceBuffer::close);
  }
}
