// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.PoolRequest.OverBudget;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
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

  /** How many dispatches follow one another whose grid the one before has written. */
  public static final int DATA_DEPENDENT = 1_000;

  /** What reads their grids where the device does not, in reports. */
  public static final String READ_BY_HOST = "JHAL, read by the host";

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

  /**
   * Dispatches whose grid the one before them has written: one workgroup. The device reads it, or
   * the host does, which waits for each.
   */
  public static final class DataDependent implements Subject {
    private static final int GROUPS = 1;

    private final String name;
    private final Device device;
    private final @Nullable ExecutableSource kernels;
    private final boolean isReadByHost;
    private final int steps;
    private final DeviceBuffer grid;
    private @Nullable Touch touch; // once it is prepared

    public DataDependent(String name, Bench bench, String spin, boolean isReadByHost, int steps) {
      this.name = name;
      this.device = bench.deviceThatSpins(spin);
      this.kernels = bench.kernels();
      this.isReadByHost = isReadByHost;
      this.steps = steps;
      this.grid = device.allocate(IndirectWorkgroups.BYTES, BufferParams.DEVICE);
    }

    @Override
    public void prepare() throws NotAvailableException {
      if (!isReadByHost && !device.capabilities().contains(Capability.INDIRECT_DISPATCH)) {
        throw new NotAvailableException("the device takes grids from the host only");
      }
      touch = new Touch(device, kernels);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public double[] sample() throws InterruptedException {
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, 2 * steps + 2);
        HostMemory first = HostMemory.of(new int[] {2, 1, 1}); // which no dispatch writes
        device.queue(0).upload(points[0], points[1], first, grid, 0);
        done.await(1, Bench.DEADLINE);
        long start = System.nanoTime();
        if (isReadByHost) {
          readByHost(done, points);
        } else {
          readByDevice(done, points);
        }
        double time = (System.nanoTime() - start) / (double) steps;
        Touch.expect(device, grid, 0, GROUPS);
        return new double[] {time};
      }
    }

    private void readByDevice(TimelineSemaphore done, Timepoint[] points)
        throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      Kernel kernel = Objects.requireNonNull(touch).kernel();
      Args args = Args.of(grid, GROUPS);
      IndirectWorkgroups count = IndirectWorkgroups.of(grid);
      for (int i = 1; i <= steps; i++) {
        queue.dispatch(points[i], points[i + 1], kernel, count, args);
      }
      done.await(steps + 1L, Bench.DEADLINE);
    }

    private void readByHost(TimelineSemaphore done, Timepoint[] points)
        throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      Kernel kernel = Objects.requireNonNull(touch).kernel();
      Args args = Args.of(grid, GROUPS);
      int[] numbers = new int[3];
      HostMemory target = HostMemory.of(numbers);
      for (int i = 1; i <= 2 * steps; i += 2) {
        queue.readback(points[i], points[i + 1], grid, 0, target);
        done.await(i + 1L, Bench.DEADLINE);
        Workgroups count = new Workgroups(numbers[0], numbers[1], numbers[2]);
        queue.dispatch(points[i + 1], points[i + 2], kernel, count, args);
      }
      done.await(2L * steps + 1, Bench.DEADLINE);
    }

    @Override
    public void close() {
      if (touch != null) {
        touch.close();
      }
      grid.close();
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

  /**
   * Allocas and deallocas in turn, each waiting for the one before it; the host waits at last.
   *
   * @param pool the pool that they are of, with room for one; null for none
   */
  public record Allocations(
      String name, Device device, long bytes, int steps, @Nullable OverBudget pool)
      implements Subject {
    /** Without a pool. */
    public Allocations(String name, Device device, long bytes, int steps) {
      this(name, device, bytes, steps, null);
    }

    private DeviceBuffer alloca(Timepoint before, Timepoint signal, @Nullable MemoryPool from) {
      return from == null
          ? device.queue(0).alloca(before, signal, bytes, BufferParams.DEVICE)
          : device.queue(0).alloca(before, signal, bytes, BufferParams.DEVICE, from);
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      MemoryPool from =
          pool == null ? null : device.createPool(new PoolRequest(bytes, pool, "bench"));
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = timepoints(done, 2 * steps);
        long start = System.nanoTime();
        for (int i = 0; i < 2 * steps; i += 2) {
          DeviceBuffer buffer = alloca(points[i], points[i + 1], from);
          queue.dealloca(points[i + 1], points[i + 2], buffer);
        }
        done.await(2L * steps, Bench.DEADLINE);
        return new double[] {(System.nanoTime() - start) / (double) steps};
      }
    }
  }
}
