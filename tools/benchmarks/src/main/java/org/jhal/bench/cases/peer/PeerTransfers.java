// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Copies from one device to another, or in both directions at once, each enqueued on the device
 * that it comes from. The host waits for each, or for both.
 */
final class PeerTransfers implements Subject {
  private static final int WORD = Integer.BYTES;

  private final Bench bench;
  private final int directions;
  private final int bytes;
  private final int steps;
  private @Nullable Prepared prepared;

  /** The objects that need both devices. */
  private record Prepared(
      List<Device> devices, List<DeviceBuffer> sources, List<DeviceBuffer> targets) {}

  /**
   * Allocates nothing yet.
   *
   * @param directions 1 or 2
   * @param bytes of each copy, a multiple of 4
   * @param steps how many times a sample does that
   */
  PeerTransfers(Bench bench, int directions, int bytes, int steps) {
    this.bench = bench;
    this.directions = directions;
    this.bytes = bytes;
    this.steps = steps;
  }

  @Override
  public String name() {
    return JHAL;
  }

  @Override
  public void prepare() throws NotAvailableException {
    Device first = bench.deviceThatSpins(DispatchWork.SPINNING);
    Device second = SecondDevice.openSharing(bench, first, DispatchWork.SPINNING);
    List<DeviceBuffer> sources = new ArrayList<>();
    List<DeviceBuffer> targets = new ArrayList<>();
    prepared = new Prepared(List.of(first, second), sources, targets);
    for (Device device : List.of(first, second)) {
      sources.add(device.allocate(bytes, BufferParams.DEVICE));
      targets.add(device.allocate(bytes, BufferParams.DEVICE));
    }
  }

  @Override
  public double[] sample() throws InterruptedException {
    Prepared both = Objects.requireNonNull(prepared);
    int last = bytes - WORD;
    for (int i = 0; i < 2; i++) {
      setWord(both.sources.get(i), last, FillPattern.of32(Touch.VALUE));
      setWord(both.targets.get(i), last, FillPattern.ZERO);
    }
    long[] nanos = new long[steps];
    try (TimelineSemaphore there = both.devices.get(0).createSemaphore(0);
        TimelineSemaphore back = both.devices.get(1).createSemaphore(0)) {
      List<TimelineSemaphore> done = List.of(there, back);
      for (int i = 0; i < steps; i++) {
        long start = System.nanoTime();
        for (int j = 0; j < directions; j++) {
          both.devices
              .get(j)
              .queue(0)
              .copy(
                  Fence.NONE,
                  done.get(j).at(i + 1),
                  both.sources.get(j),
                  0,
                  both.targets.get(1 - j),
                  0,
                  bytes);
        }
        for (int j = 0; j < directions; j++) {
          done.get(j).await(i + 1, Bench.DEADLINE);
        }
        nanos[i] = System.nanoTime() - start;
      }
    }
    for (int j = 0; j < directions; j++) {
      Touch.expect(both.devices.get(1 - j), both.targets.get(1 - j), last, Touch.VALUE);
    }
    return Transfers.withThroughput(Quartiles.of(nanos), (long) directions * bytes);
  }

  private static void setWord(DeviceBuffer buffer, int offset, FillPattern word)
      throws InterruptedException {
    Device device = buffer.device();
    try (TimelineSemaphore ready = device.createSemaphore(0)) {
      device.queue(0).fill(Fence.NONE, ready.at(1), buffer, offset, WORD, word);
      ready.await(1, Bench.DEADLINE);
    }
  }

  @Override
  public void close() {
    Prepared both = prepared;
    if (both != null) {
      prepared = null;
      both.sources.forEach(DeviceBuffer::close);
      both.targets.forEach(DeviceBuffer::close);
    }
  }
}
