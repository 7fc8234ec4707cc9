// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.Arrays;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/**
 * Steps of which each needs what all workgroups have written in the one before: in one cooperative
 * dispatch, or in a dispatch each, in a recording.
 */
public final class CooperativeWork implements Subject {
  /** How many steps there are. */
  public static final int STEPS = 1_000;

  /** What does the same in one dispatch for each step, in reports. */
  public static final String RECORDED = "JHAL, a dispatch for each step";

  private static final int ITEMS = 64;
  private static final int MOST_GROUPS = 16;
  private static final String ALL_STEPS = "all_steps";
  private static final String ONE_STEP = "one_step";

  private static final String SOURCE =
      """
      #include <cooperative_groups.h>
      __device__ int next(int n, int i, const int* from) { return from[i + 1 < n ? i + 1 : 0] + 1; }
      extern "C" __global__ void one_step(int n, const int* from, int* to) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        to[i] = next(n, i, from);
      }
      extern "C" __global__ void all_steps(int n, int steps, int* a, int* b) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        for (int step = 0; step < steps; step++) {
          if (step % 2 == 0) {
            b[i] = next(n, i, a);
          } else {
            a[i] = next(n, i, b);
          }
          grid.sync();
        }
      }
      """;

  /** The kernels in Java. */
  public static final class InJava {
    private InJava() {}

    public static void one_step(Workgroup group, int n, Ints from, Ints to) {
      for (long i = group.firstX(); i < group.firstX() + group.sizeX(); i++) {
        to.set(i, from.get(i + 1 < n ? i + 1 : 0) + 1);
      }
    }

    public static void all_steps(Workgroup group, int n, int steps, Ints a, Ints b) {
      for (int step = 0; step < steps; step++) {
        one_step(group, n, step % 2 == 0 ? a : b, step % 2 == 0 ? b : a);
        group.syncGrid();
      }
    }
  }

  private static final ExecutableSource BUNDLE =
      ExecutableSource.builder("steps")
          .kernel(
              ALL_STEPS,
              ITEMS,
              Parameter.constant("n", ElementType.I32),
              Parameter.constant("steps", ElementType.I32),
              Parameter.inout("a", ElementType.I32),
              Parameter.inout("b", ElementType.I32))
          .kernel(
              ONE_STEP,
              ITEMS,
              Parameter.constant("n", ElementType.I32),
              Parameter.in("from", ElementType.I32),
              Parameter.out("to", ElementType.I32))
          .cooperative(ALL_STEPS)
          .cpp(SOURCE)
          .java(InJava.class)
          .build();

  private final String name;
  private final Device device;
  private final boolean isCooperative;
  private final int steps;
  private @Nullable Prepared prepared;

  /**
   * Work of a device.
   *
   * @param isCooperative whether one dispatch takes all steps
   * @param steps an even number
   */
  public CooperativeWork(String name, Bench bench, String spin, boolean isCooperative, int steps) {
    this.name = name;
    this.device = bench.deviceThatSpins(spin);
    this.isCooperative = isCooperative;
    this.steps = steps;
  }

  /** What samples use. */
  private record Prepared(
      Executable kernels, Workgroups grid, DeviceBuffer a, DeviceBuffer b, CommandBuffer commands)
      implements AutoCloseable {
    int length() {
      return ITEMS * grid.x();
    }

    @Override
    public void close() {
      commands.close();
      a.close();
      b.close();
      kernels.close();
    }
  }

  @Override
  public void prepare() throws NotAvailableException {
    Executable kernels = Bench.load(device, BUNDLE);
    Kernel all = kernels.kernel(ALL_STEPS);
    Kernel one = kernels.kernel(ONE_STEP);
    long resident = all.residentWorkgroups().orElseThrow();
    Workgroups grid = Workgroups.of((int) Math.min(MOST_GROUPS, resident));
    int length = ITEMS * grid.x();
    DeviceBuffer a = device.allocate((long) Integer.BYTES * length, BufferParams.DEVICE);
    DeviceBuffer b = device.allocate((long) Integer.BYTES * length, BufferParams.DEVICE);
    CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    if (isCooperative) {
      commands.dispatch(all, grid, Args.of(length, steps, a, b));
    }
    for (int step = 0; step < steps && !isCooperative; step += 2) {
      commands.dispatch(one, grid, Args.of(length, a, b));
      commands.barrier();
      commands.dispatch(one, grid, Args.of(length, b, a));
      commands.barrier();
    }
    commands.end();
    prepared = new Prepared(kernels, grid, a, b, commands);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public double[] sample() throws InterruptedException {
    Prepared own = Objects.requireNonNull(prepared);
    DeviceQueue queue = device.queue(0);
    int[] found = new int[own.length()];
    double time;
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      queue.fill(Fence.NONE, done.at(1), own.a(), 0, own.a().size(), FillPattern.ZERO);
      done.await(1, Bench.DEADLINE);
      long start = System.nanoTime();
      queue.execute(done.at(1), done.at(2), own.commands());
      done.await(2, Bench.DEADLINE);
      time = (System.nanoTime() - start) / (double) steps;
      queue.readback(done.at(2), done.at(3), own.a(), 0, HostMemory.of(found));
      done.await(3, Bench.DEADLINE);
    }
    if (!Arrays.stream(found).allMatch(each -> each == steps)) {
      throw new IllegalStateException(name + " has other numbers than " + steps);
    }
    return new double[] {time};
  }

  @Override
  public void close() {
    if (prepared != null) {
      prepared.close();
    }
  }
}
