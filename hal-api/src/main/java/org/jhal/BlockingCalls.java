// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;
import org.jhal.spi.HostWaits;

/**
 * Operations whose calls return when they have ended, for scripts and first steps; {@link
 * DeviceQueue#blocking} creates them. To have the device and the host work at the same time, use
 * the methods of {@link DeviceQueue} with timelines.
 *
 * <p>Each method waits without limit. On threads that must not wait (in a callback, in external
 * work, or on another thread of a device, except in a host call) it throws FAILED_PRECONDITION and
 * does nothing. If the thread is interrupted, it throws InterruptedException, and the operation
 * goes on; the operation's host memory stays borrowed until it has ended ({@link
 * HostMemory#awaitFree()}). If the operation fails, the method throws its failure. Otherwise, each
 * method throws what the corresponding method of {@link DeviceQueue} throws.
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

  /** Fills a whole buffer with a repeated pattern. */
  public void fill(DeviceBuffer target, FillPattern pattern) throws InterruptedException {
    Objects.requireNonNull(target, "target");
    run((waits, signals) -> queue.fill(waits, signals, target, 0, target.size(), pattern));
  }

  /** Runs a kernel. */
  public void run(Kernel kernel, Workgroups count, Args args) throws InterruptedException {
    run((waits, signals) -> queue.dispatch(waits, signals, kernel, count, args));
  }

  /** Runs a kernel over a grid that the device has computed. */
  public void run(Kernel kernel, IndirectWorkgroups count, Args args) throws InterruptedException {
    run((waits, signals) -> queue.dispatch(waits, signals, kernel, count, args));
  }

  /** Runs a command buffer that uses no slots. */
  public void run(CommandBuffer commands) throws InterruptedException {
    run((waits, signals) -> queue.execute(waits, signals, commands));
  }

  private void run(Sequence.Step step) throws InterruptedException {
    HostWaits.check(); // before anything is enqueued
    // Stays open if the wait is interrupted: closing it would cancel an operation that was not
    // issued yet, but the caller may go on to wait for the host memory.
    TimelineSemaphore done = queue.device().createSemaphore();
    try {
      step.enqueue(Fence.NONE, done.at(1));
      done.await(1);
    } catch (InterruptedException e) {
      done.onReach(1, failed -> done.close());
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
