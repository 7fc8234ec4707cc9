// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.baselines.Baselines;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Allocations;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes all threads together allocate on the heap for one submission in steady state, with
 * timepoints and arguments that were created before.
 */
final class HeapBytes {
  private static final int STEPS = 20_000;
  private static final int WINDOW = 64;
  private static final double MOST_BYTES = 512;

  private HeapBytes() {}

  /** What is submitted. */
  private enum Kind {
    BARRIER("barrier"),
    CHAIN("barrier in a chain"),
    FILL("fill"),
    COPY("copy"),
    DISPATCH("dispatch"),
    EXECUTE("execute with a table"),
    EXECUTES("execute of 10, tables"),
    ALLOCA("alloca, dealloca");

    final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  /** Series for each kind of submission. */
  static List<Series> series(Bench bench) {
    int steps = bench.steps(STEPS) + 1 & ~1; // even: allocas and deallocas take turns
    List<Series> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      all.add(
          new Series(
              kind.label,
              new Submissions(bench, kind, steps),
              List.of(new Tasks(steps), new Futures(steps)),
              List.of(Aim.atMost("heap", MOST_BYTES))));
    }
    return all;
  }

  private static double[] perStep(@Nullable Allocations allocations, int steps) {
    return new double[] {allocations == null ? Double.NaN : allocations.bytes() / (double) steps};
  }

  private static final class Submissions implements Subject {
    private static final int BYTES = 64;
    private static final int SEVERAL = 10; // commands: enough to be worth a native graph

    private final Device device;
    private final Kind kind;
    private final int steps;
    private final DeviceBuffer source;
    private final DeviceBuffer target;
    private final @Nullable ExecutableSource kernels;
    private @Nullable Touch touch; // of a dispatch
    private @Nullable CommandBuffer commands; // to be executed
    private final FillPattern pattern = FillPattern.of32(7);
    private final BindingTable[] tables;
    private @Nullable DeviceBuffer allocated;
    private int executes; // which table is next

    Submissions(Bench bench, Kind kind, int steps) {
      this.device = bench.device();
      this.kernels = bench.kernels();
      this.kind = kind;
      this.steps = steps;
      source = device.allocate(BYTES, BufferParams.DEVICE);
      target = device.allocate(BYTES, BufferParams.DEVICE);
      tables = new BindingTable[] {BindingTable.of(target), BindingTable.of(source)};
    }

    @Override
    public void prepare() throws NotAvailableException {
      if (kind != Kind.DISPATCH && kind != Kind.EXECUTE && kind != Kind.EXECUTES) {
        return; // the others need no kernel, which a device may not have
      }
      Touch kernel = new Touch(device, kernels);
      touch = kernel;
      CommandBuffer recorded = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      commands = recorded;
      for (int i = 0; i < (kind == Kind.EXECUTES ? SEVERAL : 1); i++) {
        recorded.dispatch(kernel.kernel(), Touch.ONE, Args.of(Slot.of(0), Touch.VALUE));
        recorded.barrier();
      }
      recorded.end();
    }

    @Override
    public String name() {
      return JHAL;
    }

    @Override
    public double[] sample() throws InterruptedException {
      DeviceQueue queue = device.queue(0);
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        Timepoint[] points = new Timepoint[steps + 1];
        for (int i = 0; i <= steps; i++) {
          points[i] = done.at(i);
        }
        Allocations allocations = Allocations.begin();
        for (int i = 1; i <= steps; i++) {
          submit(queue, points[i - 1], points[i]);
          if (i % WINDOW == 0) {
            done.await(i, Bench.DEADLINE);
          }
        }
        done.await(steps, Bench.DEADLINE);
        return perStep(allocations, steps);
      }
    }

    private void submit(DeviceQueue queue, Timepoint before, Timepoint signal) {
      switch (kind) {
        case BARRIER -> queue.barrier(Fence.NONE, signal);
        case CHAIN -> queue.barrier(before, signal);
        case FILL -> queue.fill(Fence.NONE, signal, target, 0, BYTES, pattern);
        case COPY -> queue.copy(Fence.NONE, signal, source, 0, target, 0, BYTES);
        case DISPATCH -> Objects.requireNonNull(touch).submit(queue, Fence.NONE, signal);
        case EXECUTE ->
            queue.execute(Fence.NONE, signal, Objects.requireNonNull(commands), tables[0]);
        case EXECUTES -> {
          BindingTable next = tables[executes++ % tables.length];
          queue.execute(before, signal, Objects.requireNonNull(commands), next);
        }
        case ALLOCA -> {
          if (allocated == null) {
            allocated = queue.alloca(before, signal, BYTES, BufferParams.DEVICE);
          } else {
            queue.dealloca(before, signal, allocated);
            allocated = null;
          }
        }
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
      source.close();
      target.close();
    }
  }

  /** A task that was made before, given to a thread. */
  private static final class Tasks implements Subject {
    private final ThreadPoolExecutor stream = Baselines.stream();
    private final int steps;

    Tasks(int steps) {
      this.steps = steps;
    }

    @Override
    public String name() {
      return "execute(task)";
    }

    @Override
    public double[] sample() throws Exception {
      Baselines.Counter done = new Baselines.Counter(0);
      Runnable step = done::advance;
      Allocations allocations = Allocations.begin();
      for (int i = 1; i <= steps; i++) {
        stream.execute(step);
        if (i % WINDOW == 0) {
          done.await(i);
        }
      }
      done.await(steps);
      return perStep(allocations, steps);
    }

    @Override
    public void close() {
      stream.shutdownNow();
    }
  }

  /** The same with a future for each, which a wait for a single one needs. */
  private static final class Futures implements Subject {
    private final ThreadPoolExecutor stream = Baselines.stream();
    private final int steps;

    Futures(int steps) {
      this.steps = steps;
    }

    @Override
    public String name() {
      return "runAsync(task)";
    }

    @Override
    public double[] sample() throws Exception {
      Baselines.Counter done = new Baselines.Counter(0);
      Runnable step = done::advance;
      Allocations allocations = Allocations.begin();
      for (int i = 1; i <= steps; i++) {
        CompletableFuture<@Nullable Void> unused = CompletableFuture.runAsync(step, stream);
        if (i % WINDOW == 0) {
          done.await(i);
        }
      }
      done.await(steps);
      return perStep(allocations, steps);
    }

    @Override
    public void close() {
      stream.shutdownNow();
    }
  }
}
