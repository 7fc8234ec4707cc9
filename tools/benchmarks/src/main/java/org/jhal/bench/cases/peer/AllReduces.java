// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Sums of floats over two devices, in place. The host waits for the signals of both ranks: for each
 * sum, or for the last of a chain.
 */
final class AllReduces implements Subject {
  /** The most in a sample: each doubles every float. */
  static final int MOST = 200;

  private static final float LEAST = Math.scalb(1f, -120); // before the first sum

  private final Bench bench;
  private final int bytes;
  private final int steps;
  private final boolean isChain;
  private final List<DeviceBuffer> buffers = new ArrayList<>(); // by rank, once it is prepared
  private @Nullable CollectiveGroup group; // likewise

  /**
   * Allocates nothing yet.
   *
   * @param bytes of each rank, a multiple of 4
   * @param steps how many sums a sample has, at most {@link #MOST}
   * @param isChain whether each waits for the one before it and the host for the last; if not, the
   *     host waits for each
   */
  AllReduces(Bench bench, int bytes, int steps, boolean isChain) {
    this.bench = bench;
    this.bytes = bytes;
    this.steps = steps;
    this.isChain = isChain;
  }

  /**
   * The device of {@code bench} and a second one of its driver. They are shared, and not to be
   * closed.
   *
   * @throws NotAvailableException if there is no second one, or if the driver has no groups
   */
  static CollectiveGroup group(Bench bench) throws NotAvailableException {
    Device first = bench.deviceThatSpins(DispatchWork.SPINNING);
    Device second = SecondDevice.open(bench, DispatchWork.SPINNING);
    try {
      return bench
          .shared()
          .get("group", CollectiveGroup.class, () -> CollectiveGroup.of(first, second));
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED) {
        throw e;
      }
      throw new NotAvailableException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public String name() {
    return JHAL;
  }

  @Override
  public void prepare() throws NotAvailableException {
    CollectiveGroup made = group(bench);
    for (Device device : made.devices()) {
      buffers.add(device.allocate(bytes, BufferParams.DEVICE));
    }
    group = made;
  }

  @Override
  public double[] sample() throws InterruptedException {
    CollectiveGroup both = Objects.requireNonNull(group);
    long[] nanos = new long[isChain ? 1 : steps];
    try (TimelineSemaphore first = both.devices().get(0).createSemaphore(0);
        TimelineSemaphore second = both.devices().get(1).createSemaphore(0)) {
      fill(first, second);
      Timepoint[] ofFirst = DispatchWork.timepoints(first, steps + 1);
      Timepoint[] ofSecond = DispatchWork.timepoints(second, steps + 1);
      long start = System.nanoTime();
      for (int i = 2; i <= steps + 1; i++) {
        long begin = System.nanoTime();
        both.allReduce(
            Reduction.SUM,
            ElementType.F32,
            List.of(
                inPlace(0, ofFirst[i - 1], ofFirst[i]), inPlace(1, ofSecond[i - 1], ofSecond[i])));
        if (!isChain) {
          await(first, second, i);
          nanos[i - 2] = System.nanoTime() - begin;
        }
      }
      if (isChain) {
        await(first, second, steps + 1);
        nanos[0] = (System.nanoTime() - start) / steps;
      }
    }
    int expected = Float.floatToRawIntBits(Math.scalb(LEAST, steps));
    for (DeviceBuffer buffer : buffers) {
      Touch.expect(buffer.device(), buffer, bytes - Float.BYTES, expected);
    }
    double[] times = Quartiles.of(nanos);
    return isChain ? new double[] {times[0]} : Transfers.withThroughput(times, bytes);
  }

  private Rank inPlace(int rank, Timepoint before, Timepoint signal) {
    DeviceBuffer buffer = buffers.get(rank);
    return new Rank(isChain ? before : Fence.NONE, signal, buffer, buffer);
  }

  /** Raises both timelines to 1. */
  private void fill(TimelineSemaphore first, TimelineSemaphore second) throws InterruptedException {
    FillPattern least = FillPattern.of32(Float.floatToRawIntBits(LEAST));
    for (int i = 0; i < buffers.size(); i++) {
      DeviceBuffer buffer = buffers.get(i);
      Timepoint filled = (i == 0 ? first : second).at(1);
      buffer.device().queue(0).fill(Fence.NONE, filled, buffer, 0, bytes, least);
    }
    await(first, second, 1);
  }

  private static void await(TimelineSemaphore first, TimelineSemaphore second, long value)
      throws InterruptedException {
    first.await(value, Bench.DEADLINE);
    second.await(value, Bench.DEADLINE);
  }

  @Override
  public void close() {
    group = null;
    buffers.forEach(DeviceBuffer::close);
    buffers.clear();
  }
}
