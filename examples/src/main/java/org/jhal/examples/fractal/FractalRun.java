// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.fractal;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A picture whose rows are computed by several devices. There are many bands of rows. A device has
 * four of them in flight, and takes the next one when one has arrived, so a faster device computes
 * more of them. No thread waits for a device: the callback of one band enqueues the next.
 *
 * <p>For one thread.
 */
public final class FractalRun implements AutoCloseable {
  /** The kernel {@code band}. */
  public static final ExecutableSource KERNELS =
      ExecutableSource.ofResources(FractalRun.class, "kernels");

  private static final int BAND = 16; // rows
  private static final int IN_FLIGHT = 4; // bands of one device
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int[] TINTS = {
    0xFFB000, 0x3D8BFF, 0xDC267F, 0x21C17A, 0xFE6100, 0x8F6BFF, 0x00C2C7, 0xC5D930
  };

  private final int width;
  private final int height;
  private final int[] pixels;
  private final List<Worker> workers = new ArrayList<>();
  private final AtomicInteger nextBand = new AtomicInteger();

  /**
   * Loads the kernel on all devices, which stay open when this is closed.
   *
   * @param kernels a bundle with the kernel, such as {@link #KERNELS}
   * @throws HalException as {@link Device#loadExecutable} and {@link Device#allocate} do
   */
  public FractalRun(List<Device> devices, ExecutableSource kernels, int width, int height) {
    this.width = width;
    this.height = height;
    this.pixels = new int[width * height];
    try {
      for (Device device : devices) {
        workers.add(new Worker(device, kernels, TINTS[workers.size() % TINTS.length]));
      }
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  /**
   * Computes the picture, as often as it is called.
   *
   * @return how many nanoseconds that took
   */
  public long compute() throws InterruptedException {
    nextBand.set(0);
    long begin = System.nanoTime();
    CompletableFuture<?> all =
        CompletableFuture.allOf(
            workers.stream()
                .flatMap(worker -> worker.start().stream())
                .toArray(CompletableFuture<?>[]::new));
    await(all);
    return System.nanoTime() - begin;
  }

  /** The picture, row by row: 0xRRGGBB. It is written by {@link #compute}. */
  public int[] pixels() {
    return pixels;
  }

  private static void await(CompletableFuture<?> all) throws InterruptedException {
    try {
      Object unused = all.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof HalException cause
          ? cause
          : new HalException(Status.ABORTED, "a band failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "no end after " + PATIENCE.toMinutes() + " minutes" + "\n" + Hal.explain(),
          e);
    }
  }

  /** Prints which device has computed how much of the picture, which took {@code nanos}. */
  void print(PrintWriter out, long nanos) {
    out.printf(
        Locale.ROOT,
        "%d x %d pixels in %d ms, in bands of %d rows%n",
        width,
        height,
        nanos / 1_000_000,
        BAND);
    for (Worker worker : workers) {
      int rows = worker.rows.get();
      out.printf(
          Locale.ROOT,
          "  #%06x  %5d rows  %3d %%  %s (%s)%n",
          worker.tint,
          rows,
          Math.round(100.0 * rows / height),
          worker.device.info().uri(),
          worker.device.info().name());
    }
  }

  @Override
  public void close() {
    workers.forEach(Worker::close);
    workers.clear();
  }

  /** A device with a buffer and a timeline for each band in flight. */
  private final class Worker implements AutoCloseable {
    private final Device device;
    private final int tint;
    private final AtomicInteger rows = new AtomicInteger(); // that have arrived
    private final Executable executable;
    private final List<DeviceBuffer> buffers = new ArrayList<>();
    private final List<Sequence> sequences = new ArrayList<>();

    Worker(Device device, ExecutableSource kernels, int tint) {
      this.device = device;
      this.tint = tint;
      this.executable = device.loadExecutable(kernels);
      try {
        for (int i = 0; i < IN_FLIGHT; i++) {
          buffers.add(device.allocate(4L * width * BAND, BufferParams.DEVICE));
          sequences.add(device.createSequence());
        }
      } catch (Throwable t) {
        close();
        throw t;
      }
    }

    /** Starts the bands; each future completes when there are none left. */
    List<CompletableFuture<@Nullable Void>> start() {
      rows.set(0);
      List<CompletableFuture<@Nullable Void>> ends = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        ends.add(end);
        next(i, 0, end);
      }
      return ends;
    }

    /** The last band of this slot, of {@code done} rows, has arrived: enqueues another one. */
    private void next(int slot, int done, CompletableFuture<@Nullable Void> end) {
      rows.addAndGet(done);
      int first = nextBand.getAndIncrement() * BAND;
      if (first >= height) {
        end.complete(null);
        return;
      }
      try {
        int count = Math.min(BAND, height - first);
        enqueue(slot, first, count);
        sequences
            .get(slot)
            .last()
            .semaphore()
            .onReach(
                sequences.get(slot).last().value(),
                failure -> {
                  if (failure == null) {
                    next(slot, count, end);
                  } else {
                    end.completeExceptionally(failure);
                  }
                });
      } catch (Throwable t) {
        end.completeExceptionally(t);
      }
    }

    private void enqueue(int slot, int first, int count) {
      DeviceQueue queue = device.queue(slot % device.queueCount());
      Kernel band = executable.kernel("band");
      DeviceBuffer buffer = buffers.get(slot);
      Args args = Args.of(width, height, first, count, tint, buffer);
      HostMemory target = HostMemory.of(pixels, first * width, count * width);
      DeviceBuffer used = buffer.slice(0, 4L * count * width);
      sequences
          .get(slot)
          .step(
              (waits, signals) ->
                  queue.dispatch(waits, signals, band, band.covering(width, count), args));
      sequences.get(slot).step((waits, signals) -> queue.readback(waits, signals, used, 0, target));
    }

    @Override
    public void close() {
      sequences.forEach(Sequence::close);
      buffers.forEach(DeviceBuffer::close);
      executable.close();
    }
  }
}
