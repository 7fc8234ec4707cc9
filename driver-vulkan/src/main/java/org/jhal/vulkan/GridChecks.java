// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Workgroups;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * The grids of indirect dispatches. A runtime need not notice that one is larger than the device
 * takes. So a small kernel runs first: it copies the counts to a slot in memory of the host, from
 * which the dispatch reads them, but zeros in place of a grid that is too large. The host looks at
 * the counts when the dispatch is over, and fails its operation.
 *
 * <p>No event counts as fired before that look ({@link #look}), whichever stream it belongs to:
 * what waits for a dispatch fails with it.
 *
 * <p>Thread-safe.
 */
final class GridChecks {
  private static final int SLOT_BYTES = 32;
  private static final int SLOTS = 128; // of one block
  private static final int READ = 16; // where the counts are in a slot, behind the grid

  private final LogicalDevice device;
  private final ConcurrentLinkedQueue<Check> pending = new ConcurrentLinkedQueue<>();
  private volatile long pipeline; // the VkPipeline of the kernel; 0 until it is needed

  @GuardedBy("this")
  private final Deque<Slot> free = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<StagingRange> blocks = new ArrayList<>();

  /** Memory for one dispatch at a time. */
  private record Slot(StagingRange block, ByteBuffer bytes, int offset) {}

  /** The grid of one dispatch. */
  static final class Check {
    private final Slot slot;
    private final LoadedKernel kernel;
    private final Submission submission;
    private final Work.Point end; // not before the slot is written

    @GuardedBy("this")
    private boolean isReleased; // the slot may be another's

    private Check(Slot slot, LoadedKernel kernel, Submission submission, Work.Point end) {
      this.slot = slot;
      this.kernel = kernel;
      this.submission = submission;
      this.end = end;
    }

    /** The address of the slot. */
    long address() {
      return slot.block.address() + slot.offset;
    }

    /** The VkBuffer that has the grid. */
    long buffer() {
      return slot.block.buffer();
    }

    /** Where it is there, in bytes. */
    long bufferOffset() {
      return slot.block.bufferOffset() + slot.offset;
    }

    /** The most workgroups that the device takes. */
    Workgroups most() {
      return kernel.maxCount();
    }

    /** Fails the operation if the grid was too large. Any number of threads may do so. */
    private void settle() {
      HalException failure = failure();
      if (failure != null) {
        submission.fail(failure);
      }
    }

    private synchronized @Nullable HalException failure() {
      if (isReleased) {
        return null;
      }
      try {
        int at = slot.offset + READ;
        Workgroups unused =
            kernel.grid(
                slot.bytes.getInt(at), slot.bytes.getInt(at + 4), slot.bytes.getInt(at + 8));
        return null;
      } catch (HalException e) {
        return e;
      }
    }

    private synchronized void release() {
      isReleased = true;
    }
  }

  GridChecks(LogicalDevice device) {
    this.device = device;
  }

  /** Whether the kernel is loaded, so that {@link #pipeline} does not block. */
  boolean isReady() {
    return pipeline != 0;
  }

  /** The VkPipeline of the kernel. Its arguments: two addresses, and the largest grid. */
  long pipeline() {
    long made = pipeline;
    if (made == 0) {
      long own = Pipelines.own(device, "grid.spv");
      synchronized (this) {
        made = pipeline;
        if (made == 0) {
          made = own;
          pipeline = own;
        }
      }
      if (made != own) { // of another thread, which came first
        LogicalDevice.setup().destroyPipeline(device.handle(), own, 0);
      }
    }
    return made;
  }

  /**
   * A check of a dispatch that is being recorded.
   *
   * @param end what is reached when the dispatch is over, or later
   * @throws HalException RESOURCE_EXHAUSTED if there is no memory for it
   */
  Check begin(LoadedKernel kernel, Submission submission, Work.Point end) {
    Check check = new Check(take(), kernel, submission, end);
    submission.whenFired(() -> end(check));
    pending.add(check);
    return check;
  }

  private void end(Check check) {
    pending.remove(check); // it may never have run
    check.release();
    synchronized (this) {
      free.add(check.slot);
    }
  }

  private Slot take() {
    Slot taken = poll();
    while (taken == null) {
      StagingRange block =
          new StagingRange(device.memory(MemoryType.HOST), (long) SLOTS * SLOT_BYTES);
      ByteBuffer bytes = block.map(0, SLOTS * SLOT_BYTES).bytes();
      synchronized (this) {
        blocks.add(block);
        for (int i = 0; i < SLOTS; i++) {
          free.add(new Slot(block, bytes, i * SLOT_BYTES));
        }
      }
      taken = poll();
    }
    for (int i = 0; i < SLOT_BYTES; i += Integer.BYTES) {
      taken.bytes.putInt(taken.offset + i, 0); // as it stays if the dispatch never runs
    }
    return taken;
  }

  private synchronized @Nullable Slot poll() {
    return free.poll();
  }

  /**
   * Looks at the grids of all dispatches that are over. Called behind the look that has found an
   * event fired, and before anything follows from that.
   *
   * @throws HalException UNAVAILABLE if the device is lost
   */
  void look() {
    if (pending.isEmpty()) {
      return;
    }
    Timeline running = null; // one that has not got to the check before
    for (Check check : pending) {
      if (check.end.timeline() == running) {
        continue;
      }
      if (check.end.isPast()) {
        check.settle(); // first: who does not find it any more takes it as settled
        pending.remove(check);
      } else {
        running = check.end.timeline();
      }
    }
  }

  /** Frees everything, once no work uses it. */
  void close() {
    if (pipeline != 0) {
      LogicalDevice.setup().destroyPipeline(device.handle(), pipeline, 0);
    }
    synchronized (this) {
      blocks.forEach(StagingRange::free);
      blocks.clear();
      free.clear();
    }
  }
}
