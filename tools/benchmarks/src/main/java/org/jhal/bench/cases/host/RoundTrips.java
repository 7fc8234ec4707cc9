// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.List;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.baselines.Baselines;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;

/** Work that is submitted to a device or a thread, and awaited at once or some steps later. */
final class RoundTrips {
  private static final int STEPS = 20_000;

  private RoundTrips() {}

  /**
   * The series of one window.
   *
   * @param window how many may be in flight: 1 is a round trip, more is a stream
   */
  static Series series(Bench bench, int window) {
    int steps = bench.steps(STEPS);
    long spin = bench.spinNanos();
    Subject handOff = new HandOff(steps, window, spin);
    return new Series(
        String.valueOf(window),
        new Submissions(bench.device(), steps, window),
        window == 1 ? List.of(handOff, new SubmitAndGet(steps)) : List.of(handOff));
  }

  private record Submissions(Device device, int steps, int window) implements Subject {
    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] signals = new Timepoint[steps];
        for (int i = 0; i < steps; i++) {
          signals[i] = done.at(i + 1);
        }
        long start = System.nanoTime();
        for (int i = 0; i < steps; i++) {
          queue.barrier(Fence.NONE, signals[i]);
          done.await(Math.max(0, i + 2 - window), Bench.DEADLINE);
        }
        done.await(steps, Bench.DEADLINE);
        return new double[] {(System.nanoTime() - start) / (double) steps};
      }
    }
  }

  /** The same as a thread with a queue, and a counter that is waited for in the same way. */
  private static final class HandOff implements Subject {
    private final ThreadPoolExecutor stream = Baselines.stream();
    private final int steps;
    private final int window;
    private final long spinNanos;

    HandOff(int steps, int window, long spinNanos) {
      this.steps = steps;
      this.window = window;
      this.spinNanos = spinNanos;
    }

    @Override
    public String name() {
      return "thread, queue, counter";
    }

    @Override
    public double[] sample() throws Exception {
      Baselines.Counter done = new Baselines.Counter(spinNanos);
      Runnable step = done::advance;
      long start = System.nanoTime();
      for (int i = 0; i < steps; i++) {
        stream.execute(step);
        done.await(i + 2 - window);
      }
      done.await(steps);
      return new double[] {(System.nanoTime() - start) / (double) steps};
    }

    @Override
    public void close() {
      stream.shutdownNow();
    }
  }

  /** The usual code without JHAL, which parks at once. */
  private static final class SubmitAndGet implements Subject {
    private final ThreadPoolExecutor stream = Baselines.stream();
    private final int steps;

    SubmitAndGet(int steps) {
      this.steps = steps;
    }

    @Override
    public String name() {
      return "submit().get()";
    }

    @Override
    public double[] sample() throws Exception {
      Runnable step = () -> {};
      long start = System.nanoTime();
      for (int i = 0; i < steps; i++) {
        stream.submit(step).get(Bench.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
      return new double[] {(System.nanoTime() - start) / (double) steps};
    }

    @Override
    public void close() {
      stream.shutdownNow();
    }
  }
}
