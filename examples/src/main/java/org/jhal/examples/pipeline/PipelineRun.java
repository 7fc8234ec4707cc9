// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.pipeline;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/**
 * Stages on several devices, ordered by one timeline. With three devices it is
 *
 * <pre>
 *   at 1  the program opens the gate
 *   at 2  device 1, queue 0: generate
 *   at 3  device 1, last queue: copy to device 2
 *   at 4  device 2, queue 0: smooth
 *   at 5  device 2, last queue: copy to device 3
 *   at 6  device 3, queue 0: sum
 *   at 7  device 3, last queue: read the sums back
 * </pre>
 *
 * The work is enqueued in the opposite order, all before the gate opens: a wait may come before its
 * signal, and the timeline decides, not the order of the calls. The devices may be of any drivers.
 */
final class PipelineRun implements AutoCloseable {
  private static final int VALUES = 1_000_000;
  private static final int BLOCK = 1000;
  private static final int SUMS = (VALUES + BLOCK - 1) / BLOCK;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Work for a queue, with the fences that it waits for and signals. */
  private record Step(String text, BiConsumer<Fence, Fence> enqueue) {}

  private final Deque<Runnable> closings = new ArrayDeque<>(); // the last one first
  private final List<Step> steps = new ArrayList<>();
  private final int[] sums = new int[SUMS];
  private final ExecutableSource kernels;
  private final TimelineSemaphore timeline;
  private int smoothings;

  /**
   * Prepares everything, and enqueues nothing yet.
   *
   * @param devices at least one; the caller closes them after this
   * @param kernels generate, smooth and sum
   */
  PipelineRun(List<Device> devices, ExecutableSource kernels) {
    this.kernels = kernels;
    Device last = devices.get(devices.size() - 1);
    try {
      timeline = devices.get(0).createSemaphore(0);
      closings.push(timeline::close);
      DeviceBuffer values = generate(devices.get(0));
      for (Device device : devices.size() < 3 ? devices.subList(0, 1) : between(devices)) {
        values = smooth(device, bring(values, device));
      }
      sum(last, bring(values, last));
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  private static List<Device> between(List<Device> devices) {
    return devices.subList(1, devices.size() - 1);
  }

  private DeviceBuffer allocate(Device device, int values) {
    DeviceBuffer buffer = device.allocate(4L * values, BufferParams.DEVICE);
    closings.push(buffer::close);
    return buffer;
  }

  private Executable load(Device device) {
    Executable loaded = device.loadExecutable(kernels);
    closings.push(loaded::close);
    return loaded;
  }

  private static DeviceQueue lastQueue(Device device) {
    return device.queue(device.queueCount() - 1);
  }

  private void add(String what, DeviceQueue queue, String where, BiConsumer<Fence, Fence> enqueue) {
    String on = name(queue.device()) + ", queue " + queue.index() + where;
    steps.add(new Step(String.format(Locale.ROOT, "%-8s on %s", what, on), enqueue));
  }

  private static String name(Device device) {
    return device.info().uri() + " (" + device.info().name() + ")";
  }

  private void addKernel(Device device, String name, Workgroups groups, Object... args) {
    Executable loaded = load(device);
    add(
        name,
        device.queue(0),
        "",
        (waits, signals) ->
            device.queue(0).dispatch(waits, signals, loaded.kernel(name), groups, Args.of(args)));
  }

  private DeviceBuffer generate(Device device) {
    DeviceBuffer values = allocate(device, VALUES);
    addKernel(device, "generate", Workgroups.covering(VALUES, 256), VALUES, values);
    return values;
  }

  /** The values in memory of {@code device}, which takes a step if they are elsewhere. */
  private DeviceBuffer bring(DeviceBuffer values, Device device) {
    if (values.device() == device) {
      return values;
    }
    DeviceBuffer copy = allocate(device, VALUES);
    DeviceQueue queue = lastQueue(values.device());
    add(
        "copy",
        queue,
        " to " + name(device),
        (waits, signals) -> queue.copy(waits, signals, values, 0, copy, 0, 4L * VALUES));
    return copy;
  }

  private DeviceBuffer smooth(Device device, DeviceBuffer values) {
    DeviceBuffer smoothed = allocate(device, VALUES);
    addKernel(device, "smooth", Workgroups.covering(VALUES, 256), VALUES, values, smoothed);
    smoothings++;
    return smoothed;
  }

  private void sum(Device device, DeviceBuffer values) {
    DeviceBuffer partial = allocate(device, SUMS);
    addKernel(device, "sum", Workgroups.covering(SUMS, 64), VALUES, BLOCK, values, partial);
    DeviceQueue queue = lastQueue(device);
    add(
        "readback",
        queue,
        "",
        (waits, signals) -> queue.readback(waits, signals, partial, 0, HostMemory.of(sums)));
  }

  /** Enqueues everything, opens the gate, waits, and returns whether the sums are right. */
  boolean run(PrintWriter out) throws InterruptedException {
    int end = steps.size() + 1;
    for (int value = end; value > 1; value--) {
      steps.get(value - 2).enqueue().accept(timeline.at(value - 1), timeline.at(value));
    }
    for (int value = 2; value <= end; value++) {
      out.println("at " + value + "  " + steps.get(value - 2).text());
    }
    out.println("all is handed over, the timeline is at " + timeline.value());
    long begin = System.nanoTime();
    timeline.signal(1);
    timeline.await(end, PATIENCE);
    long micros = (System.nanoTime() - begin) / 1000;
    out.println("the timeline is at " + timeline.value() + " after " + micros + " us");
    boolean isCorrect = Arrays.equals(expected(smoothings), sums);
    out.println(SUMS + " sums are " + (isCorrect ? "correct" : "WRONG"));
    return isCorrect;
  }

  /** The same in plain Java. */
  private static int[] expected(int smoothings) {
    int[] values = new int[VALUES];
    for (int i = 0; i < VALUES; i++) {
      values[i] = (int) ((long) i * i % 1009);
    }
    for (int round = 0; round < smoothings; round++) {
      int[] smoothed = new int[VALUES];
      for (int i = 0; i < VALUES; i++) {
        int before = values[Math.max(i - 1, 0)];
        int after = values[Math.min(i + 1, VALUES - 1)];
        smoothed[i] = (before + 2 * values[i] + after) / 4;
      }
      values = smoothed;
    }
    int[] sums = new int[SUMS];
    for (int i = 0; i < VALUES; i++) {
      sums[i / BLOCK] += values[i];
    }
    return sums;
  }

  @Override
  public void close() {
    while (!closings.isEmpty()) {
      closings.pop().run();
    }
  }
}
