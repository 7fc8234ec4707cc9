package org.jhal.bench.cases;

import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/** JHAL's side of cases that compare a device with another one, or with native calls. */
public final class DispatchWork {
  /** The setting {@code spin} of devices whose host thread polls: longer than any work here. */
  public static final String SPINNING = "50ms";

  /** How many dispatches are waited for, one after the other, in a sample. */
  public static final int ROUND_TRIPS = 2_000;

  /** How many dispatches a chain has. */
  public static final int[] CHAINS = {1_000, 10_000, 100_000};

  private DispatchWork() {}

  /** The values of {@code semaphore} from 0 to {@code steps}. */
  public static Timepoint[] timepoints(TimelineSemaphore semaphore, int steps) {
    Timepoint[] points = new Timepoint[steps + 1];
    for (int i = 0; i <= steps; i++) {
      points[i] = semaphore.at(i);
    }
    return points;
  }

  /** A dispatch, and the host waits for it; each is timed. */
  public static final class RoundTrip implements Subject {
    private final String name;
    private final Device device;
    private final @Nullable ExecutableSource kernels;
    private final int steps;
    private @Nullable Touch touch; // once it is prepared

    public RoundTrip(String name, Bench bench, String spin, int steps) {
      this.name = name;
      this.device = bench.deviceThatSpins(spin);
      this.kernels = bench.kernels();
      this.steps = steps;
    }

    @Override
    public void prepare() throws NotAvailableException {
      touch = new Touch(device, kernels);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      long[] nanos = new long[steps];
      Touch touch = Objects.requireNonNull(this.touch);
      touch.clear();
      try (TimelineSemaphore done = device.createSemaphore(0)) {
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
      if (touch != null) {
        touch.close();
      }
    }
  }

  /** Dispatches that wait for the one before them, all submitted at once. */
  public static final class Chain implements Subject {
    private final String name;
    private final Device device;
    private final @Nullable ExecutableSource kernels;
    private final int steps;
    private @Nullable Touch touch; // once it is prepared

    public Chain(String name, Bench bench, String spin, int steps) {
      this.name = name;
      this.device = bench.deviceThatSpins(spin);
      this.kernels = bench.kernels();
      this.steps = steps;
    }

    @Override
    public void prepare() throws NotAvailableException {
      touch = new Touch(device, kernels);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      Touch touch = Objects.requireNonNull(this.touch);
      touch.clear();
      double time;
      try (TimelineSemaphore done = device.createSemaphore(0)) {
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
      if (touch != null) {
        touch.close();
      }
    }
  }

  /** Allocas and deallocas in turn, each waiting for the one before it; the host waits at last. */
  public record Allocations(Device device, long bytes, int steps) implements Subject {
    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, 2 * steps);
        long start = System.nanoTime();
        for (int i = 0; i < 2 * steps; i += 2) {
          DeviceBuffer buffer = queue.alloca(points[i], points[i + 1], bytes, BufferParams.DEVICE);
          queue.dealloca(points[i + 1], points[i + 2], buffer);
        }
        done.await(2L * steps, Bench.DEADLINE);
        return new double[] {(System.nanoTime() - start) / (double) steps};
      }
    }
  }
}
