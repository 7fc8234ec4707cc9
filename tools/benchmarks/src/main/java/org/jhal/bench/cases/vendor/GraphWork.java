// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.GraphStatistics;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jhal.spi.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * A reusable command buffer of dispatches, executed again and again, each time after the previous
 * execution. Every dispatch writes to the buffer in slot 0 of the binding table.
 */
final class GraphWork implements Subject {
  /** The command buffer, and how it is executed. */
  record Plan(int dispatches, Order order, int tables, int executes, Waits waits) {
    /** The order of the dispatches. */
    enum Order {
      /** A barrier after each. */
      CHAIN,
      /** Nothing. */
      WIDE
    }

    /** The executions that the host waits for. */
    enum Waits {
      /** Each execution, which is timed. */
      FOR_EACH,
      /** The last one. */
      AT_THE_END
    }

    /** With one table, executed in a row without waiting. */
    static Plan inRow(int dispatches, Order order, int executes) {
      return new Plan(dispatches, order, 1, executes, Waits.AT_THE_END);
    }

    /** The value that dispatch {@code index} writes; in a chain, that of the last one remains. */
    int value(int index) {
      return Touch.VALUE + (order == Order.CHAIN ? index : 0);
    }
  }

  private static final Duration MAKING = Duration.ofSeconds(30);
  private static final int USES = 4; // after these, the device is creating a graph, if it ever does

  private final String name;
  private final Device device;
  private final @Nullable ExecutableSource kernels;
  private final Plan plan;
  private final List<DeviceBuffer> targets = new ArrayList<>(); // by table
  private final BindingTable[] tables;
  private @Nullable Touch touch; // once it is prepared
  private @Nullable CommandBuffer commands; // once it is prepared

  /**
   * Makes nothing yet.
   *
   * @param name how reports call it
   * @param device where the work runs
   * @param kernels a bundle with the kernel instead of that of the benchmarks, or null
   */
  GraphWork(String name, Device device, @Nullable ExecutableSource kernels, Plan plan) {
    this.name = name;
    this.device = device;
    this.kernels = kernels;
    this.plan = plan;
    this.tables = new BindingTable[plan.tables()];
  }

  @Override
  public String name() {
    return name;
  }

  /** Records, and executes until the device has made its graph, if it makes one. */
  @Override
  public void prepare() throws NotAvailableException, InterruptedException {
    Touch kernel = new Touch(device, kernels);
    touch = kernel;
    for (int i = 0; i < tables.length; i++) {
      DeviceBuffer target = device.allocate(Integer.BYTES, BufferParams.DEVICE);
      targets.add(target);
      tables[i] = BindingTable.of(target);
    }
    CommandBuffer recorded = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    commands = recorded;
    for (int i = 0; i < plan.dispatches(); i++) {
      recorded.dispatch(kernel.kernel(), Touch.ONE, Args.of(Slot.of(0), plan.value(i)));
      if (plan.order() == Plan.Order.CHAIN) {
        recorded.barrier();
      }
    }
    recorded.end();
    awaitGraph();
  }

  /** Graphs are made in the background, while the command buffer is used without one. */
  private void awaitGraph() throws InterruptedException {
    GraphStatistics before = device.statistics().graphs();
    long start = System.nanoTime();
    for (int uses = 1; ; uses++) {
      execute(1, new long[1]);
      GraphStatistics graphs = device.statistics().graphs();
      boolean isLaunched = graphs.launches() > before.launches();
      boolean isCandidate = !graphs.fallbacks().equals(before.fallbacks());
      if (isLaunched || (uses >= USES && !isCandidate)) {
        return;
      }
      if (System.nanoTime() - start > MAKING.toNanos()) {
        throw new IllegalStateException(
            "no graph was launched in "
                + DurationText.of(MAKING)
                + ", after "
                + uses
                + " uses; why, in all: "
                + graphs.fallbacks());
      }
    }
  }

  @Override
  public double[] sample() throws InterruptedException {
    for (DeviceBuffer target : targets) {
      Touch.clear(device, target);
    }
    long[] nanos = new long[plan.executes()];
    long time = execute(plan.executes(), nanos);
    for (int i = 0; i < targets.size(); i++) {
      int expected = i < plan.executes() ? plan.value(plan.dispatches() - 1) : 0;
      Touch.expect(device, targets.get(i), 0, expected);
    }
    return plan.waits() == Plan.Waits.FOR_EACH
        ? Quartiles.of(nanos)
        : new double[] {time / (double) plan.executes() / plan.dispatches()};
  }

  /** Returns the time of all; sets that of each in {@code nanos} if the host waits for each. */
  private long execute(int executes, long[] nanos) throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    CommandBuffer commands = Objects.requireNonNull(this.commands);
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      Timepoint[] points = DispatchWork.timepoints(done, executes);
      long start = System.nanoTime();
      for (int i = 1; i <= executes; i++) {
        long before = System.nanoTime();
        queue.execute(points[i - 1], points[i], commands, tables[(i - 1) % tables.length]);
        if (plan.waits() == Plan.Waits.FOR_EACH) {
          done.await(i, Bench.DEADLINE);
          nanos[i - 1] = System.nanoTime() - before;
        }
      }
      done.await(executes, Bench.DEADLINE);
      return System.nanoTime() - start;
    }
  }

  @Override
  public void close() {
    if (commands != null) {
      commands.close();
    }
    if (touch != null) {
      touch.close();
    }
    targets.forEach(DeviceBuffer::close);
  }
}
