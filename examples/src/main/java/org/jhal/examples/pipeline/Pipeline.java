package org.jhal.examples.pipeline;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.spi.ToolProvider;
import org.jhal.Args;
import org.jhal.Buffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Queue;
import org.jhal.Semaphore;
import org.jhal.Status;
import org.jhal.Workgroups;

/**
 * {@code hal pipeline [DEVICE [DEVICE]]}: three stages on two queues of one device and one of
 * another, ordered by one timeline.
 *
 * <pre>
 *   at 1  the program opens the gate
 *   at 2  device 1, queue 0: generate
 *   at 3  device 1, last queue: smooth
 *   at 4  device 1, last queue: copy to device 2
 *   at 5  device 2, queue 0: sum
 *   at 6  device 2, queue 0: read the sums back
 * </pre>
 *
 * The work is handed over in the opposite order, all before the gate opens: a wait may come before
 * its signal, and it is the timeline, not the order of the calls, that decides.
 */
public final class Pipeline implements ToolProvider {
  private static final int VALUES = 1_000_000;
  private static final int BLOCK = 1000;
  private static final int SUMS = (VALUES + BLOCK - 1) / BLOCK;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "hal-pipeline";
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    if (args.length > 0 && (args[0].equals("--help") || args[0].equals("-h"))) {
      out.println("Usage: hal pipeline [DEVICE [DEVICE]]");
      out.println("Runs three stages on two queues and two devices, ordered by one timeline.");
      return 0;
    }
    if (args.length > 2) {
      err.println("hal: INVALID_ARGUMENT: pipeline takes at most two devices");
      return 2;
    }
    String first = args.length > 0 ? args[0] : "mock://0?devices=2";
    String second = args.length > 1 ? args[1] : args.length > 0 ? first : "mock://1?devices=2";
    try (Device firstDevice = Hal.openDevice(first);
        Device secondDevice = Hal.openDevice(second)) {
      return run(out, err, firstDevice, secondDevice);
    } catch (HalException e) {
      err.println("hal: " + e);
      return e.status() == Status.INVALID_ARGUMENT ? 2 : 3;
    }
  }

  private static int run(PrintWriter out, PrintWriter err, Device first, Device second) {
    try {
      return run(out, first, second) ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e);
      return 1;
    } catch (InterruptedException e) {
      return 130;
    }
  }

  private static boolean run(PrintWriter out, Device first, Device second)
      throws InterruptedException {
    ExecutableSource bundle = ExecutableSource.ofResources(Pipeline.class, "kernels");
    int[] sums = new int[SUMS];
    try (Semaphore timeline = first.createSemaphore(0);
        Executable firstKernels = first.loadExecutable(bundle);
        Executable secondKernels = second.loadExecutable(bundle);
        Buffer values = first.allocate(4L * VALUES, BufferParams.DEVICE);
        Buffer smoothed = first.allocate(4L * VALUES, BufferParams.DEVICE);
        Buffer copied = second.allocate(4L * VALUES, BufferParams.DEVICE);
        Buffer partial = second.allocate(4L * SUMS, BufferParams.DEVICE)) {
      Queue producer = first.queue(0);
      Queue filter = first.queue(first.queueCount() - 1);
      Queue consumer = second.queue(0);

      consumer.readback(timeline.at(5), timeline.at(6), partial, 0, HostMemory.of(sums));
      consumer.dispatch(
          timeline.at(4),
          timeline.at(5),
          secondKernels.function("sum"),
          Workgroups.covering(SUMS, 64),
          Args.of(VALUES, BLOCK, copied, partial));
      filter.copy(timeline.at(3), timeline.at(4), smoothed, 0, copied, 0, 4L * VALUES);
      filter.dispatch(
          timeline.at(2),
          timeline.at(3),
          firstKernels.function("smooth"),
          Workgroups.covering(VALUES, 256),
          Args.of(VALUES, values, smoothed));
      producer.dispatch(
          timeline.at(1),
          timeline.at(2),
          firstKernels.function("generate"),
          Workgroups.covering(VALUES, 256),
          Args.of(VALUES, values));

      out.println("generate on " + name(producer));
      out.println("smooth   on " + name(filter));
      out.println("sum      on " + name(consumer));
      out.println("all is handed over, the timeline is at " + timeline.value());
      long begin = System.nanoTime();
      timeline.signal(1);
      timeline.await(6, PATIENCE);
      long micros = (System.nanoTime() - begin) / 1000;
      out.println("the timeline is at " + timeline.value() + " after " + micros + " us");
    }
    boolean correct = Arrays.equals(expected(), sums);
    out.println(SUMS + " sums are " + (correct ? "correct" : "WRONG"));
    return correct;
  }

  private static String name(Queue queue) {
    return queue.device().info().uri() + ", queue " + queue.index();
  }

  /** The same in plain Java. */
  private static int[] expected() {
    int[] values = new int[VALUES];
    for (int i = 0; i < VALUES; i++) {
      values[i] = (int) ((long) i * i % 1009);
    }
    int[] sums = new int[SUMS];
    for (int i = 0; i < VALUES; i++) {
      int before = values[Math.max(i - 1, 0)];
      int after = values[Math.min(i + 1, VALUES - 1)];
      sums[i / BLOCK] += before + 2 * values[i] + after;
    }
    return sums;
  }
}
