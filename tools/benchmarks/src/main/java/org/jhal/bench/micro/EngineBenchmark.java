// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.micro;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.bench.kernel.Touch;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time that the engine alone takes for a submission: on a device that does nothing, {@value
 * #STEPS} submissions, each waiting for the one before it, with timepoints that were made before;
 * then the host waits for the last.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(EngineBenchmark.STEPS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class EngineBenchmark {
  static final int STEPS = 1_000;

  private static final Duration DEADLINE = Duration.ofMinutes(1);

  /** The device and its timeline. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the parameter and calls open() and begin() first
  public static class Chain {
    /** How long after it was recorded an event fires, in nanoseconds; 0 for at once. */
    @Param({"0", "5000"})
    public long latency;

    Device device;
    DeviceQueue queue;
    Executable executable;
    Kernel kernel;
    DeviceBuffer target;
    Args args;
    BindingTable table;
    CommandBuffer commands;
    TimelineSemaphore done;
    final Timepoint[] points = new Timepoint[2 * STEPS + 1];

    /** Opens the device. */
    @Setup(Level.Trial)
    public void open() {
      device = NullBackend.open(latency);
      queue = device.queue(0);
      executable = device.loadExecutable(Touch.BUNDLE);
      kernel = executable.kernel("touch");
      target = device.allocate(Integer.BYTES, BufferParams.DEVICE);
      args = Args.of(target, 42);
      table = BindingTable.of(target);
      commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      commands.dispatch(kernel, Workgroups.of(1), Args.of(Slot.of(0), 42));
      commands.end();
    }

    /** Closes it. */
    @TearDown(Level.Trial)
    public void close() {
      commands.close();
      target.close();
      executable.close();
      device.close();
    }

    /** Begins a timeline. */
    @Setup(Level.Invocation)
    public void begin() {
      done = device.createSemaphore(0);
      for (int i = 0; i < points.length; i++) {
        points[i] = done.at(i);
      }
    }

    /** Ends it. */
    @TearDown(Level.Invocation)
    public void end() {
      done.close();
    }
  }

  /** An empty barrier. */
  @Benchmark
  public void barrier(Chain chain) throws InterruptedException {
    for (int i = 0; i < STEPS; i++) {
      chain.queue.barrier(chain.points[i], chain.points[i + 1]);
    }
    chain.done.await(STEPS, DEADLINE);
  }

  /** A dispatch of one workgroup. */
  @Benchmark
  public void dispatch(Chain chain) throws InterruptedException {
    Workgroups one = Workgroups.of(1);
    for (int i = 0; i < STEPS; i++) {
      chain.queue.dispatch(chain.points[i], chain.points[i + 1], chain.kernel, one, chain.args);
    }
    chain.done.await(STEPS, DEADLINE);
  }

  /** Dispatches that the host waits for, one after the other. */
  @Benchmark
  public void roundTrip(Chain chain) throws InterruptedException {
    Workgroups one = Workgroups.of(1);
    for (int i = 1; i <= STEPS; i++) {
      chain.queue.dispatch(Fence.NONE, chain.points[i], chain.kernel, one, chain.args);
      chain.done.await(i, DEADLINE);
    }
  }

  /** The same in a command buffer that was recorded before. */
  @Benchmark
  public void execute(Chain chain) throws InterruptedException {
    for (int i = 0; i < STEPS; i++) {
      chain.queue.execute(chain.points[i], chain.points[i + 1], chain.commands, chain.table);
    }
    chain.done.await(STEPS, DEADLINE);
  }

  /** An alloca and its dealloca, which are two submissions; the buffer is left to the collector. */
  @Benchmark
  public void allocaAndDealloca(Chain chain) throws InterruptedException {
    for (int i = 0; i < 2 * STEPS; i += 2) {
      DeviceBuffer buffer =
          chain.queue.alloca(chain.points[i], chain.points[i + 1], 1 << 20, BufferParams.DEVICE);
      chain.queue.dealloca(chain.points[i + 1], chain.points[i + 2], buffer);
    }
    chain.done.await(2 * STEPS, DEADLINE);
  }
}
