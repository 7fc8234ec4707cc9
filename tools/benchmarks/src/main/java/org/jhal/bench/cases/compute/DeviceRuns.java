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
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a workload by a device, one after the other, recorded in one command buffer; a sample is
 * the nanoseconds of one of {@code count}, with all that the device and its driver add.
 */
final class DeviceRuns implements Subject {
  private final String name;
  private final Supplier<Device> opened;
  private final Workload workload;
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
   */
  DeviceRuns(String name, Supplier<Device> opened, Workload workload, int count) {
    this.name = name;
    this.opened = opened;
    this.workload = workload;
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
    Executable loaded = load(on);
    executable = loaded;
    Kernel kernel = loaded.kernel(workload.kernel());
    List<Object> arguments = new ArrayList<>(workload.arguments());
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
      steps.step(
          (waits, signals) -> queue.dispatch(waits, signals, kernel, workload.groups(), args));
      DeviceBuffer written = (DeviceBuffer) arguments.get(workload.result());
      ByteBuffer result =
          ByteBuffer.allocateDirect((int) written.size()).order(ByteOrder.nativeOrder());
      steps.step((waits, signals) -> queue.readback(waits, signals, written, 0, result));
      steps.await(Bench.DEADLINE);
      workload.check(JavaLoops.result(workload), result);
      commands = record(on, kernel, args);
    }
  }

  private Executable load(Device on) throws NotAvailableException {
    try {
      return on.loadExecutable(workload.bundle());
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED) {
        throw e;
      }
      throw new NotAvailableException(String.valueOf(e.getMessage()));
    }
  }

  private CommandBuffer record(Device on, Kernel kernel, Args args) {
    CommandBuffer recorded = on.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    for (int i = 0; i < count; i++) {
      recorded.dispatch(kernel, workload.groups(), args);
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
