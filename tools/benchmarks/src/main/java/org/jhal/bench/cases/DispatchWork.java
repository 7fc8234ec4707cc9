// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
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

  /**
   * Dispatches that wait for the one before them, all submitted at once, into one queue or into
   * several in turn.
   */
  public static final class Chain implements Subject {
    private final String name;
    private final Device device;
    private final @Nullable ExecutableSource kernels;
    private final int queues;
    private final int steps;
    private @Nullable Touch touch; // once it is prepared

    /** In one queue. */
    public Chain(String name, Bench bench, String spin, int steps) {
      this(name, bench, bench.deviceThatSpins(spin), 1, steps);
    }

    /**
     * In queues in turn.
     *
     * @param device opened as {@code bench} says, with at least {@code queues} queues
     */
    private Chain(String name, Bench bench, Device device, int queues, int steps) {
      this.name = name;
      this.device = device;
      this.kernels = bench.kernels();
      this.queues = queues;
      this.steps = steps;
    }

    /** In two queues in turn, so that each dispatch waits for the other queue. */
    public static Chain hops(String name, Bench bench, String spin, int steps) {
      Device device = bench.deviceThatSpins(spin);
      if (device.queueCount() < 2) {
        device = bench.deviceWith(Map.of("spin", spin, "queues", "2"));
      }
      return new Chain(name, bench, device, 2, steps);
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
      DeviceQueue[] inTurn = new DeviceQueue[queues];
      Arrays.setAll(inTurn, device::queue);
      Touch touch = Objects.requireNonNull(this.touch);
      touch.clear();
      double time;
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, steps);
        long start = System.nanoTime();
        for (int i = 1; i <= steps; i++) {
          touch.submit(inTurn[i % queues], points[i - 1], points[i]);
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

  /** Copies on the device that wait for the one before them, all submitted at once. */
  public static final class Copies implements Subject {
    private final String name;
    private final Device device;
    private final int bytes;
    private final int steps;
    private final DeviceBuffer source;
    private final DeviceBuffer target;

    /**
     * Allocates the memory.
     *
     * @param bytes of each copy, a multiple of 4
     */
    public Copies(String name, Device device, int bytes, int steps) {
      this.name = name;
      this.device = device;
      this.bytes = bytes;
      this.steps = steps;
      source = device.allocate(bytes, BufferParams.DEVICE);
      target = device.allocate(bytes, BufferParams.DEVICE);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      int last = bytes - Integer.BYTES;
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, steps + 2);
        FillPattern value = FillPattern.of32(Touch.VALUE);
        queue.fill(points[0], points[1], source, last, Integer.BYTES, value);
        queue.fill(points[1], points[2], target, last, Integer.BYTES, FillPattern.ZERO);
        done.await(2, Bench.DEADLINE);
        long start = System.nanoTime();
        for (int i = 3; i <= steps + 2; i++) {
          queue.copy(points[i - 1], points[i], source, 0, target, 0, bytes);
        }
        done.await(steps + 2, Bench.DEADLINE);
        double time = (System.nanoTime() - start) / (double) steps;
        Touch.expect(device, target, last, Touch.VALUE);
        return new double[] {time};
      }
    }

    @Override
    public void close() {
      target.close();
      source.close();
    }
  }

  /** Allocas and deallocas in turn, each waiting for the one before it; the host waits at last. */
  public record Allocations(String name, Device device, long bytes, int steps) implements Subject {
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
