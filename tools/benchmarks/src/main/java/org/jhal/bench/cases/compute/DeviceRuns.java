// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.compute;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.bench.kernel.KernelRun;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a kernel by a device, one after the other, recorded in one command buffer; a sample is
 * the nanoseconds of one of {@code count}, with all that the device and its driver add.
 */
final class DeviceRuns implements Subject {
  /** Looks at what one run has written. */
  interface Check {
    /** Throws an exception if that is wrong. */
    void look(ByteBuffer result) throws Exception;
  }

  private final String name;
  private final Supplier<Device> opened;
  private final KernelRun run;
  private final Check check;
  private final int count;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private @Nullable Device device; // once it is prepared, like the others
  private @Nullable Executable executable;
  private @Nullable CommandBuffer commands;

  /**
   * Opens nothing yet.
   *
   * @param name how reports call it
   * @param opened the device, which stays open when this is closed
   * @param check of the first run, before any is measured
   */
  DeviceRuns(String name, Supplier<Device> opened, KernelRun run, Check check, int count) {
    this.name = name;
    this.opened = opened;
    this.run = run;
    this.check = check;
    this.count = count;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare() throws Exception {
    Device on = opened.get();
    device = on;
    Executable loaded = Bench.load(on, run.bundle());
    executable = loaded;
    Kernel kernel = loaded.kernel(run.kernel());
    List<Object> arguments = new ArrayList<>(run.arguments());
    DeviceQueue queue = on.queue(0);
    try (Sequence steps = on.createSequence()) {
      for (int i = 0; i < arguments.size(); i++) {
        if (arguments.get(i) instanceof ByteBuffer content) {
          DeviceBuffer buffer = on.allocate(content.capacity(), BufferParams.DEVICE);
          buffers.add(buffer);
          arguments.set(i, buffer);
          steps.step((waits, signals) -> queue.upload(waits, signals, content, buffer, 0));
        }
      }
      Args args = Args.of(arguments.toArray());
      steps.step((waits, signals) -> queue.dispatch(waits, signals, kernel, run.groups(), args));
      DeviceBuffer written = (DeviceBuffer) arguments.get(run.result());
      ByteBuffer result =
          ByteBuffer.allocateDirect((int) written.size()).order(ByteOrder.nativeOrder());
      steps.step((waits, signals) -> queue.readback(waits, signals, written, 0, result));
      steps.await(Bench.DEADLINE);
      check.look(result);
      commands = record(on, kernel, args);
    }
  }

  private CommandBuffer record(Device on, Kernel kernel, Args args) {
    CommandBuffer recorded = on.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    for (int i = 0; i < count; i++) {
      recorded.dispatch(kernel, run.groups(), args);
      recorded.barrier();
    }
    recorded.end();
    return recorded;
  }

  @Override
  public double[] sample() throws InterruptedException {
    Device on = Objects.requireNonNull(device);
    CommandBuffer recorded = Objects.requireNonNull(commands);
    try (Sequence steps = on.createSequence()) {
      long start = System.nanoTime();
      steps.step((waits, signals) -> on.queue(0).execute(waits, signals, recorded));
      steps.await(Bench.DEADLINE);
      return new double[] {(System.nanoTime() - start) / (double) count};
    }
  }

  @Override
  public void close() {
    if (commands != null) {
      commands.close();
    }
    buffers.forEach(DeviceBuffer::close);
    if (executable != null) {
      executable.close();
    }
  }
}
