// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * How soon the host sees a value: from the first submission of a step until a thread that looks at
 * the timeline again and again, or waits for it, sees what it wants. Each step is timed, and starts
 * when the work of the one before it is over.
 */
final class Marks implements Subject {
  /**
   * The quartiles of the times, and the median time until all work of the step is over, in
   * nanoseconds.
   */
  static final List<String> METRICS = metrics();

  /** The work of a step. */
  enum Work {
    LONE("a dispatch", 1_000, 1, false),
    BURST("64 dispatches", 200, 64, false),
    BEFORE_LONG("before a long fill", 50, 1, true),
    /** The wait begins when the fill is submitted. */
    AWAITED("the same, awaited", 50, 1, true);

    /** As rows call it. */
    final String label;

    private final int steps;
    private final int dispatches; // each waits for the one before; the host wants to see the last
    private final boolean isLong; // whether a long fill waits for these

    Work(String label, int steps, int dispatches, boolean isLong) {
      this.label = label;
      this.steps = steps;
      this.dispatches = dispatches;
      this.isLong = isLong;
    }

    private int operations() {
      return dispatches + (isLong ? 1 : 0);
    }
  }

  private static final long LONG_NANOS = 1_000_000;
  private static final long LEAST_FILL = 1L << 20;
  private static final long MOST_FILL = 1L << 30;
  private static final int FILLS = 50; // of each size; the first ones run uncompiled code

  private final String name;
  private final Device device;
  private final @Nullable ExecutableSource kernels;
  private final Work work;
  private final int steps;
  private @Nullable Touch touch; // once it is prepared
  private @Nullable DeviceBuffer filled; // once it is prepared, if the work is long

  /**
   * Makes nothing yet.
   *
   * @param name how reports call it
   */
  Marks(String name, Bench bench, Work work) {
    this.name = name;
    this.device = bench.device();
    this.kernels = bench.kernels();
    this.work = work;
    this.steps = bench.steps(work.steps);
  }

  private static List<String> metrics() {
    List<String> metrics = new ArrayList<>(Quartiles.METRICS);
    metrics.add("whole");
    return List.copyOf(metrics);
  }

  @Override
  public String name() {
    return name;
  }

  /** Looks for a fill that takes {@link #LONG_NANOS}, up to {@link #MOST_FILL} bytes. */
  @Override
  public void prepare() throws NotAvailableException, InterruptedException {
    touch = new Touch(device, kernels);
    long bytes = LEAST_FILL;
    while (work.isLong && filled == null) {
      DeviceBuffer buffer = device.allocate(bytes, BufferParams.DEVICE);
      if (fill(buffer) >= LONG_NANOS || bytes == MOST_FILL) {
        filled = buffer;
      } else {
        buffer.close();
        bytes *= 2;
      }
    }
  }

  /** Sets all of it to zero several times, and returns the least time. */
  private long fill(DeviceBuffer buffer) throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    long least = Long.MAX_VALUE;
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= FILLS; i++) {
        long start = System.nanoTime();
        queue.fill(Fence.NONE, done.at(i), buffer, 0, buffer.size(), FillPattern.ZERO);
        done.await(i, Bench.DEADLINE);
        least = Math.min(least, System.nanoTime() - start);
      }
    }
    return least;
  }

  @Override
  public double[] sample() throws InterruptedException, TimeoutException {
    Touch touch = Objects.requireNonNull(this.touch);
    touch.clear();
    long[] nanos = new long[steps];
    long[] whole = new long[steps];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      Timepoint[] points = DispatchWork.timepoints(done, steps * work.operations());
      for (int i = 0; i < steps; i++) {
        long start = System.nanoTime();
        int wanted = submit(touch, points, i * work.operations());
        if (work == Work.AWAITED) {
          done.await(wanted, Bench.DEADLINE);
        } else {
          look(done, wanted, start);
        }
        nanos[i] = System.nanoTime() - start;
        done.await((i + 1L) * work.operations(), Bench.DEADLINE);
        whole[i] = System.nanoTime() - start;
      }
    }
    touch.check();
    if (filled != null) {
      Touch.expect(device, filled, filled.size() - Integer.BYTES, steps);
    }
    double[] quartiles = Quartiles.of(nanos);
    return new double[] {quartiles[0], quartiles[1], quartiles[2], Quartiles.of(whole)[0]};
  }

  /** Submits a step behind the value {@code before}; returns the value of its last dispatch. */
  private int submit(Touch touch, Timepoint[] points, int before) {
    DeviceQueue queue = device.queue(0);
    int value = before;
    for (int i = 0; i < work.dispatches; i++) {
      touch.submit(queue, points[value], points[value + 1]);
      value++;
    }
    DeviceBuffer target = filled;
    if (target != null) {
      FillPattern step = FillPattern.of32(before / work.operations() + 1);
      queue.fill(points[value], points[value + 1], target, 0, target.size(), step);
    }
    return value;
  }

  private static void look(TimelineSemaphore done, long wanted, long start)
      throws TimeoutException {
    while (done.value() < wanted) {
      if (System.nanoTime() - start > Bench.DEADLINE.toNanos()) {
        throw new TimeoutException(
            "a host thread that looks for the value "
                + wanted
                + " sees "
                + done.value()
                + " after "
                + Bench.DEADLINE);
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    if (filled != null) {
      filled.close();
    }
    if (touch != null) {
      touch.close();
    }
  }
}
