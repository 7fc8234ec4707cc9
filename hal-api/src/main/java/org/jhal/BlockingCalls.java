package org.jhal;

import java.util.Objects;
import org.jhal.spi.HostWaits;

/**
 * Operations that return when they are over, for scripts and first steps: {@link
 * DeviceQueue#blocking}. A program that wants the device and the host to work at the same time uses
 * the methods of {@link DeviceQueue} and timelines.
 *
 * <p>Each method waits without limit. Where nobody may wait (in a callback, in external work, or on
 * another thread of a device, host calls apart) the methods throw FAILED_PRECONDITION and do
 * nothing. If the thread is interrupted, the method throws InterruptedException, and the operation
 * goes on; the host memory that it was given is borrowed until it is over ({@link
 * HostMemory#awaitFree()}). A failed operation throws its failure. Otherwise the methods throw what
 * those of {@link DeviceQueue} do, which they are short for.
 *
 * <p>Thread-safe.
 */
public final class BlockingCalls {
  private final DeviceQueue queue;

  BlockingCalls(DeviceQueue queue) {
    this.queue = queue;
  }

  /** Writes all of {@code source} to the start of a buffer. */
  public void write(HostMemory source, DeviceBuffer target) throws InterruptedException {
    run((waits, signals) -> queue.upload(waits, signals, source, target, 0));
  }

  /** Reads the start of a buffer into all of {@code target}. */
  public void read(DeviceBuffer source, HostMemory target) throws InterruptedException {
    run((waits, signals) -> queue.readback(waits, signals, source, 0, target));
  }

  /** Fills all of a buffer. */
  public void fill(DeviceBuffer target, FillPattern pattern) throws InterruptedException {
    Objects.requireNonNull(target, "target");
    run((waits, signals) -> queue.fill(waits, signals, target, 0, target.size(), pattern));
  }

  /** Runs a kernel. */
  public void run(Kernel kernel, Workgroups count, Args args) throws InterruptedException {
    run((waits, signals) -> queue.dispatch(waits, signals, kernel, count, args));
  }

  /** Runs a command buffer. */
  public void run(CommandBuffer commands) throws InterruptedException {
    run((waits, signals) -> queue.execute(waits, signals, commands));
  }

  private void run(Sequence.Step step) throws InterruptedException {
    HostWaits.check(); // before anything is enqueued
    // Not closed if the wait is interrupted: that would cancel what was not issued yet, though the
    // caller may go on to wait for the host memory.
    TimelineSemaphore done = queue.device().createSemaphore();
    try {
      step.enqueue(Fence.NONE, done.at(1));
      done.await(1);
    } catch (InterruptedException e) {
      Registration ignored = done.onReach(1, failed -> done.close());
      throw e;
    } catch (Throwable t) {
      done.close();
      throw t;
    }
    done.close();
  }

  @Override
  public String toString() {
    return "blocking calls of " + queue;
  }
}
