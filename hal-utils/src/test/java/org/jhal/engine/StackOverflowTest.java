// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A user's thread runs out of stack at an arbitrary point inside the engine. The queue then either
 * continues, or its device is lost and reports that. It never hangs.
 */
class StackOverflowTest {
  private static final HalException FAULT = new HalException(Status.INTERNAL, "fault");
  private static final int FRAMES = 24; // between two attempts
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** In parallel, since a wake-up that an overflow prevents costs a second. */
  private static final int TRIALS_AT_ONCE = 20;

  @Test
  void anOverflowAtAnyLineLeavesTheQueueServed() throws Exception {
    trials(40, 4987);
  }

  @Test
  @Tag("exhaustive")
  void anOverflowAtAnyOfManyLinesLeavesTheQueueServed() throws Exception {
    trials(1500, 499);
  }

  /** An operation that fails half-way still retires, so that a close does not wait for it. */
  @Test
  void anOverflowAtAnyLineLeavesNoUnretiredOperation() throws Exception {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < 3; i++) {
        failHalf(20, 64_000 + 653L * i);
      }
    }
  }

  /** In parallel, since a wake-up that an overflow prevents costs a second. */
  private static void failHalf(int count, long firstStackBytes) throws Exception {
    List<EngineDevice<?>> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      EngineDevice<?> device = new InstantBackend().open(1);
      devices.add(device);
      TimelineSemaphore start = device.createSemaphore(0);
      for (int n = 0; n < 3; n++) {
        device.queue(0).barrier(start.at(1), device.createSemaphore(0).at(1));
      }
      long stackBytes = firstStackBytes + 1987L * i; // varies the line that overflows
      Thread thread = new Thread(null, () -> failDeep(start, 0), "overflow", stackBytes);
      thread.start();
      thread.join(DEADLINE.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
    }
    for (EngineDevice<?> device : devices) {
      Threads.await("what has failed to retire", () -> device.statistics().settled() == 0);
      device.close();
    }
  }

  /** Fails the semaphore with so little stack left that this overflows somewhere. */
  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void failDeep(TimelineSemaphore semaphore, int depth) {
    try {
      failDeep(semaphore, depth + 1);
    } catch (StackOverflowError e) {
      if (depth % FRAMES != 0) {
        throw e; // so that the next attempt gets further than the first line that changes anything
      }
      semaphore.fail(FAULT); // if this throws the error as well, a frame above tries again
    }
  }

  /** The next close returns, whichever line of the first one overflows. */
  @Test
  void anOverflowAtAnyLineOfACloseLeavesTheNextCloseUnblocked() throws Exception {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < 40; i++) {
        EngineDevice<?> device = new InstantBackend().open(1);
        runToEnd(() -> closeDeep(device, 0), 64_000 + 1987L * i);
        Threads.start("next close", device::close).join();
      }
    }
  }

  /** Closes the device with so little stack left that this overflows somewhere. */
  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void closeDeep(EngineDevice<?> device, int depth) {
    try {
      closeDeep(device, depth + 1);
    } catch (StackOverflowError e) {
      if (depth % FRAMES != 0) {
        throw e; // so that the next attempt gets further than the first line that changes anything
      }
      device.close(); // if this throws the error as well, a frame above tries again
    }
  }

  /**
   * Its operation ends, perhaps with its device. In parallel, since a wake-up that an overflow
   * prevents costs a second.
   */
  @Test
  void anOverflowAtAnyLineOfACompletionLeavesNoHostCallOpen() throws Exception {
    try (Quiet log = new Quiet()) {
      List<EngineDevice<?>> devices = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        EngineDevice<?> device = new InstantBackend(i).open(1);
        devices.add(device);
        TimelineSemaphore done = device.createSemaphore(0);
        CompletableFuture<HostCall.Completion> deferred = new CompletableFuture<>();
        device
            .queue(0)
            .hostCall(
                Fence.NONE,
                done.at(1),
                HostCall.Mode.BLOCKING,
                context -> deferred.complete(context.defer()));
        HostCall.Completion call = deferred.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        runToEnd(() -> completeDeep(call), 64_000 + 1987L * i);
      }
      for (EngineDevice<?> device : devices) {
        Threads.await(
            "the host call of " + device + " to end",
            () -> device.lostCause() != null || device.statistics().retired() == 1);
        device.close();
        assertEquals(0, log.count("did not end within"), () -> "stuck: " + log.lines());
      }
    }
  }

  /** Completes the host call with so little stack left that this overflows somewhere. */
  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void completeDeep(HostCall.Completion call) {
    try {
      completeDeep(call);
    } catch (StackOverflowError e) {
      call.complete(); // if this throws the error as well, the frame above tries again
    }
  }

  private static void trials(int count, int step) throws Exception {
    try (Quiet log = new Quiet()) {
      for (int i = 0; i < count; i += TRIALS_AT_ONCE) {
        List<Trial> trials = new ArrayList<>();
        for (int n = i; n < i + TRIALS_AT_ONCE; n++) {
          trials.add(new Trial(n % 37, 200_000 + step * n)); // varies the line that overflows
        }
        for (Trial trial : trials) {
          trial.end();
        }
      }
    }
  }

  private static void runToEnd(Runnable body, long stackBytes) throws InterruptedException {
    Thread thread = new Thread(null, body, "overflow", stackBytes);
    thread.start();
    thread.join(DEADLINE.toMillis());
    assertEquals(Thread.State.TERMINATED, thread.getState(), "the thread that overflows");
  }

  /** Enqueues until the stack is full. */
  private static final class Trial {
    private final long stackBytes;
    private final EngineDevice<?> device = new InstantBackend().open(1);
    private final DeviceQueue queue = device.queue(0);
    private final TimelineSemaphore first = device.createSemaphore(0);
    private long value; // of the last submission; read when the thread has ended

    Trial(int framesBefore, long stackBytes) throws InterruptedException {
      this.stackBytes = stackBytes;
      runToEnd(() -> overflow(framesBefore), stackBytes);
    }

    void end() throws InterruptedException {
      TimelineSemaphore second = device.createSemaphore(0);
      try {
        queue.barrier(Fence.NONE, second.at(1));
        second.await(1, DEADLINE);
      } catch (HalException e) {
        check(e.status() == Status.UNAVAILABLE, e);
      }
      try {
        // Everything accepted before the overflow is included. The last submission may not be.
        first.await(Math.max(0, value - 1), DEADLINE);
      } catch (HalException e) {
        check(e.status() == Status.UNAVAILABLE || isOfTheOverflow(e), e);
      }
      device.close();
    }

    private void check(boolean isRight, HalException failure) {
      if (!isRight) {
        fail("with a stack of " + stackBytes + " bytes: " + failure.getMessage(), failure);
      }
    }

    /** Of an operation that was not fully enqueued or issued; the queue continues. */
    private static boolean isOfTheOverflow(HalException failure) {
      return String.valueOf(failure.getMessage()).contains(StackOverflowError.class.getName())
          || failure.status() == Status.RESOURCE_EXHAUSTED;
    }

    private void overflow(int framesBefore) {
      try {
        recurse(framesBefore);
      } catch (StackOverflowError e) {
        return; // on purpose; a caller may catch the error and continue
      }
    }

    private void recurse(int framesBefore) {
      if (framesBefore > 0) {
        recurse(framesBefore - 1);
      } else {
        enqueue();
      }
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void enqueue() {
      queue.barrier(Fence.NONE, first.at(++value));
      enqueue();
    }
  }
}
