// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jhal.AcquiredQueue;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/**
 * A short dispatch that the host waits for, beside large ones that fill the device: how much the
 * rank of its queue helps (rule Q12). Each workgroup of the large ones computes for a while, since
 * a device interrupts none.
 */
public final class BesideLoad implements Subject {
  /** What is measured. */
  public static final List<String> METRICS = List.of("median", "p99");

  /** How many short dispatches a sample has. */
  public static final int DISPATCHES = 300;

  /** Where the short dispatches are made. */
  public enum Rank {
    /** Nothing else runs. */
    ALONE("alone", Priority.NORMAL, false),
    /** A queue like that of the large ones. */
    PLAIN("plain queue", Priority.NORMAL, false),
    PRIORITY("priority", Priority.HIGH, false),
    /** Both. */
    SHARE("share", Priority.HIGH, true);

    /** Its name in reports. */
    public final String label;

    private final QueueRequest request;

    Rank(String label, Priority priority, boolean hasShare) {
      this.label = label;
      this.request =
          new QueueRequest(
              priority, hasShare ? OptionalDouble.of(SHARE_OF_DEVICE) : OptionalDouble.empty(), "");
    }
  }

  private static final double SHARE_OF_DEVICE = 0.25;
  private static final String BUSY = "busy";
  private static final int ITEMS = 64;
  private static final int LARGE = 1 << 16; // workgroups, some 16 times as many as a GPU runs
  private static final int LARGE_ON_HOST = 4 * Runtime.getRuntime().availableProcessors();
  private static final int BUSY_STEPS = 20_000; // of a workgroup: some 100 us
  private static final int LARGE_AT_ONCE = 8; // so many in a command buffer
  private static final int FIRST_USES = 10; // until a graph is made

  private static final String SOURCE =
      """
      extern "C" __global__ void busy(unsigned steps, unsigned* out) {
        unsigned x = threadIdx.x;
        for (unsigned i = 0; i < steps; i++) x = x * x + 1013904223; // which no compiler folds
        if (x == 0) *out = 1;
      }
      """;

  /** The large kernel in Java. */
  public static final class InJava {
    private InJava() {}

    public static void busy(Workgroup group, int steps, Ints out) {
      for (long item = 0; item < group.sizeX(); item++) {
        int x = (int) item;
        for (int i = 0; i < steps; i++) {
          x = x * x + 1013904223;
        }
        if (x == 0) {
          out.set(0, 1);
        }
      }
    }
  }

  private static final ExecutableSource BUNDLE =
      ExecutableSource.builder(BUSY)
          .kernel(
              BUSY,
              ITEMS,
              Parameter.constant("steps", ElementType.U32),
              Parameter.inout("out", ElementType.U32))
          .cpp(SOURCE)
          .java(InJava.class)
          .build();

  private final String name;
  private final Device device;
  private final @Nullable ExecutableSource kernels;
  private final Rank rank;
  private final boolean isRecorded;
  private final int steps;
  private final DeviceBuffer word;
  private @Nullable Touch touch; // once it is prepared
  private @Nullable Executable busy; // likewise

  /**
   * For a device of its own settings.
   *
   * @param isRecorded whether the short dispatch is a command buffer, which may become a graph
   */
  public BesideLoad(String name, Bench bench, Rank rank, boolean isRecorded, int steps) {
    this.name = name;
    this.device = bench.deviceThatSpins(DispatchWork.SPINNING);
    this.kernels = bench.kernels();
    this.rank = rank;
    this.isRecorded = isRecorded;
    this.steps = steps;
    this.word = device.allocate(Integer.BYTES, BufferParams.DEVICE);
  }

  @Override
  public void prepare() throws NotAvailableException {
    if (rank == Rank.PRIORITY && !device.capabilities().contains(Capability.QUEUE_PRIORITY)) {
      throw new NotAvailableException("queues of the device have no priorities");
    }
    if (rank == Rank.SHARE && !device.capabilities().contains(Capability.QUEUE_SHARE)) {
      throw new NotAvailableException("queues of the device have no shares");
    }
    touch = new Touch(device, kernels);
    busy = Bench.load(device, BUNDLE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public double[] sample() throws InterruptedException {
    Touch small = Objects.requireNonNull(touch);
    small.clear();
    Touch.clear(device, word);
    long[] nanos = new long[steps];
    try (AcquiredQueue queue = device.acquireQueue(rank.request);
        TimelineSemaphore load = device.createSemaphore();
        CommandBuffer large = recordLarge(Objects.requireNonNull(busy).kernel(BUSY));
        CommandBuffer one = recordOne(small)) {
      long loads = 0;
      for (int i = -FIRST_USES; i < steps; i++) {
        // Two are always under way, so that the device is never idle.
        for (long done = load.value(); rank != Rank.ALONE && loads < done + 2; loads++) {
          device.queue(0).execute(load.at(loads), load.at(loads + 1), large);
        }
        long time = time(queue, small, one);
        if (i >= 0) {
          nanos[i] = time;
        }
      }
      load.await(loads, Bench.DEADLINE);
    }
    if (isRecorded) {
      Touch.expect(device, word, 0, Touch.VALUE);
    } else {
      small.check();
    }
    Arrays.sort(nanos);
    return new double[] {nanos[steps / 2], nanos[(steps - 1) * 99 / 100]};
  }

  private CommandBuffer recordLarge(Kernel kernel) {
    CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    int groups = device.info().computesOnHost() ? LARGE_ON_HOST : LARGE;
    for (int i = 0; i < LARGE_AT_ONCE; i++) {
      commands.dispatch(kernel, Workgroups.of(groups), Args.of(BUSY_STEPS, word));
      commands.barrier();
    }
    commands.end();
    return commands;
  }

  private CommandBuffer recordOne(Touch small) {
    CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    commands.dispatch(small.kernel(), Touch.ONE, Args.of(word, Touch.VALUE));
    commands.end();
    return commands;
  }

  /** Runs the short dispatch, and waits for it. */
  private long time(DeviceQueue queue, Touch small, CommandBuffer one) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore()) {
      long start = System.nanoTime();
      if (isRecorded) {
        queue.execute(Fence.NONE, done.at(1), one);
      } else {
        small.submit(queue, Fence.NONE, done.at(1));
      }
      done.await(1, Bench.DEADLINE);
      return System.nanoTime() - start;
    }
  }

  @Override
  public void close() {
    if (touch != null) {
      touch.close();
    }
    if (busy != null) {
      busy.close();
    }
    word.close();
  }
}
