package org.jhal.bench;

import org.jhal.Buffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Queue;
import org.jhal.Semaphore;
import org.jhal.Timepoint;

/** JHAL's side of what is compared with the calls of a native driver, transfers aside. */
final class DispatchWork {
  private DispatchWork() {}

  private static Timepoint[] timepoints(Semaphore semaphore, int steps) {
    Timepoint[] points = new Timepoint[steps + 1];
    for (int i = 0; i <= steps; i++) {
      points[i] = semaphore.at(i);
    }
    return points;
  }

  /** A dispatch, and the host waits for it; each is timed. */
  static final class RoundTrip implements Subject {
    private final Device device;
    private final int steps;
    private final Touch touch;

    RoundTrip(Device device, int steps) {
      this.device = device;
      this.steps = steps;
      this.touch = new Touch(device);
    }

    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      Queue queue = device.queue(0);
      long[] nanos = new long[steps];
      touch.clear();
      try (Semaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, steps);
        for (int i = 1; i <= steps; i++) {
          long start = System.nanoTime();
          touch.submit(queue, Fence.NONE, points[i]);
          done.await(i, Bench.DEADLINE);
          nanos[i - 1] = System.nanoTime() - start;
        }
      }
      touch.check();
      return Quartiles.of(nanos);
    }

    @Override
    public void close() {
      touch.close();
    }
  }

  /** Dispatches that wait for the one before them, all submitted at once. */
  static final class Chain implements Subject {
    private final Device device;
    private final int steps;
    private final Touch touch;

    Chain(Device device, int steps) {
      this.device = device;
      this.steps = steps;
      this.touch = new Touch(device);
    }

    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      Queue queue = device.queue(0);
      touch.clear();
      double time;
      try (Semaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, steps);
        long start = System.nanoTime();
        for (int i = 1; i <= steps; i++) {
          touch.submit(queue, points[i - 1], points[i]);
        }
        done.await(steps, Bench.DEADLINE);
        time = (System.nanoTime() - start) / (double) steps;
      }
      touch.check();
      return new double[] {time};
    }

    @Override
    public void close() {
      touch.close();
    }
  }

  /** Allocas and deallocas in turn, each waiting for the one before it; the host waits at last. */
  record Allocations(Device device, long bytes, int steps) implements Subject {
    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      Queue queue = device.queue(0);
      try (Semaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, 2 * steps);
        long start = System.nanoTime();
        for (int i = 0; i < 2 * steps; i += 2) {
          Buffer buffer = queue.alloca(points[i], points[i + 1], bytes, BufferParams.DEVICE);
          queue.dealloca(points[i + 1], points[i + 2], buffer);
        }
        done.await(2L * steps, Bench.DEADLINE);
        return new double[] {(System.nanoTime() - start) / (double) steps};
      }
    }
  }
}
