// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Endless recursion of a program with a queue's call innermost: the StackOverflowError comes at an
 * arbitrary line of the engine. The call is refused, or its operation ends, perhaps with its
 * device, at the latest with the close: its signal is raised or fails, and its borrow ends.
 *
 * <p>Only a call on a device that has thrown, or whose operation has failed, loses it. The number
 * of losses is unbounded: any error may come behind the line that accepts its call. {@link
 * RefusedCallTest} tests errors before that line.
 */
@Timeout(300)
class RunawayRecursionTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int DEVICES = 16; // per thread; each error may lose one
  private static final int ATTEMPTS = 160; // per thread, at most

  /** The number of successive calls with enough stack that end the test. */
  private static final int ENOUGH = 4;

  /** Frames from one call to the next; each thread begins at a different frame. */
  private static final int STRIDE = 2;

  private static final String MANIFEST =
      """
      {"version": 1, "name": "nothing",
       "kernels": [{"name": "f", "workgroupSize": [1], "parameters":
         [{"name": "b", "kind": "buffer", "type": "f32", "direction": "in"}]}],
       "variants": [{"format": "instant", "file": "f"}]}
      """;

  @TempDir private Path folder;

  private int devices; // made by this test so far, each with a name of its own

  /** Calls of a queue. */
  enum Call {
    BARRIER {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.barrier(waits, signals);
      }
    },
    FILL {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.fill(waits, signals, on.buffer, 0, 4, FillPattern.ZERO);
      }
    },
    UPDATE {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.update(waits, signals, on.bytes, on.buffer, 0);
      }
    },
    UPLOAD {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.upload(waits, signals, memory, on.buffer, 0);
      }
    },
    READBACK {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.readback(waits, signals, on.buffer, 0, memory);
      }
    },
    COPY {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.copy(waits, signals, on.buffer, 0, on.buffer, 4, 4);
      }
    },
    EXECUTE {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.execute(waits, signals, on.commands);
      }
    },
    DISPATCH {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.dispatch(waits, signals, on.kernel, Workgroups.of(1), Args.of(on.buffer));
      }
    },
    HOST_CALL {
      @Override
      void enqueue(Target on, Fence waits, Fence signals, HostMemory memory) {
        on.queue.hostCall(waits, signals, HostCall.Mode.BLOCKING, context -> {});
      }
    };

    abstract void enqueue(Target on, Fence waits, Fence signals, HostMemory memory);
  }

  /** The waits of an operation. */
  enum Wait {
    /** None, so the call issues it. */
    NOTHING,
    /** Two timepoints that are reached only later. */
    PARKED
  }

  /** A device and the arguments of the calls. */
  private final class Target {
    final EngineDevice<?> device = new InstantBackend(devices++).open(1);
    final DeviceQueue queue = device.queue(0);
    final DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
    final ByteBuffer bytes = ByteBuffer.allocate(4);
    final TimelineSemaphore gate = device.createSemaphore(0);
    final TimelineSemaphore otherGate = device.createSemaphore(0);
    final Executable code = device.loadExecutable(ExecutableSource.of(folder));
    final Kernel kernel = code.kernel("f");
    final CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);

    Target(Call call) throws Exception {
      commands.fill(buffer, 0, 4, FillPattern.ZERO);
      commands.end();
      TimelineSemaphore done = device.createSemaphore(0);
      call.enqueue(this, Fence.NONE, done.at(1), HostMemory.of(new byte[4]));
      done.await(1, LIMIT);
      done.close();
    }

    void close() {
      commands.close();
      code.close();
      buffer.close();
      gate.close();
      otherGate.close();
      device.close();
    }
  }

  /** A call, made once. */
  private static final class Attempt {
    final HostMemory memory = HostMemory.of(new byte[4]);
    final TimelineSemaphore done;
    final Target on;
    boolean isAccepted; // read when the thread has ended, as is the next field
    boolean hasThrown; // the error

    Attempt(Target on) {
      this.on = on;
      this.done = on.device.createSemaphore(0);
    }

    /** Whether it may have lost its device: it was neither refused nor successful. */
    boolean mayHaveLost() {
      return hasThrown || (isAccepted && done.failure() != null);
    }

    /** Whether its signal is raised, or has failed. */
    boolean isOver() {
      try {
        return done.value() == 1;
      } catch (HalException e) {
        return true;
      }
    }
  }

  /** A thread that recurs until it has no stack, and makes the calls as the recursion ends. */
  private final class Runaway {
    private final Call call;
    private final Wait wait;
    private final int offset;
    private final List<Target> targets = new ArrayList<>();
    private final Attempt[] attempts = new Attempt[ATTEMPTS];
    private final Fence[] waits = new Fence[ATTEMPTS];
    private final Fence[] signals = new Fence[ATTEMPTS];
    private int frames; // since the error
    private int made;
    private int enough; // calls in a row that were accepted

    Runaway(Call call, Wait wait, int offset) throws Exception {
      this.call = call;
      this.wait = wait;
      this.offset = offset;
      for (int i = 0; i < DEVICES; i++) {
        targets.add(new Target(call));
      }
      for (int i = 0; i < ATTEMPTS; i++) {
        Target on = targets.get(i % DEVICES);
        attempts[i] = new Attempt(on);
        signals[i] = attempts[i].done.at(1);
        waits[i] = wait == Wait.PARKED ? on.gate.at(1).and(on.otherGate.at(1)) : Fence.NONE;
      }
      Thread thread = new Thread(null, this::recur, "runaway", 200_000 + 7919L * offset);
      thread.start();
      thread.join(LIMIT.toMillis());
      assertEquals(Thread.State.TERMINATED, thread.getState(), "the runaway thread");
    }

    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void recur() {
      try {
        recur();
      } catch (StackOverflowError e) {
        frames = 0;
      }
      if (frames++ % STRIDE == offset % STRIDE && made < ATTEMPTS && enough < ENOUGH) {
        attempt(made++);
      }
    }

    private void attempt(int i) {
      Attempt attempt = attempts[i];
      try {
        call.enqueue(attempt.on, waits[i], signals[i], attempt.memory);
        attempt.isAccepted = true;
        enough++;
      } catch (StackOverflowError
          | LinkageError e) { // on purpose; from a class that the first error broke
        attempt.hasThrown = true;
        enough = 0;
      } catch (HalException e) { // its device is lost
        enough = 0;
      }
    }

    /** Checks that accepted operations end and nothing is left of any. */
    void check(Quiet log) throws Exception {
      for (Target target : targets) {
        target.gate.signal(1);
        target.otherGate.signal(1);
      }
      for (Target target : targets) {
        long enqueued = target.device.statistics().enqueued() - 1; // the first one is no attempt
        Threads.await(
            this + ": " + enqueued + " signals of " + target.device + " to be raised or to fail",
            () -> of(target).filter(Attempt::isOver).count() == enqueued);
        Threads.await(
            this + ": all that " + target.device + " has to retire, or its loss",
            () -> target.queue.openOperations() == 0 || target.device.lostCause() != null);
        of(target)
            .forEach(
                attempt ->
                    assertFalse(
                        attempt.isAccepted && !attempt.isOver(), this + ": accepted, not over"));
        target.close();
        checkMemory(target, log);
        checkLoss(target);
        of(target)
            .forEach(
                attempt ->
                    assertFalse(attempt.memory.isBorrowed(), this + ": borrowed after the close"));
        of(target).forEach(attempt -> attempt.done.close());
      }
    }

    /**
     * All memory is freed, unless a thread without stack for the end of its call still counts as
     * inside: the close then logs that it leaks native resources.
     */
    private void checkMemory(Target target, Quiet log) {
      String message = this + ", lost by " + target.device.lostCause() + ": " + log.lines();
      boolean isLeaked = log.count("closing " + target.device + ": its native resources are") > 0;
      assertTrue(isLeaked || target.device.statistics().bytes() == 0, message);
    }

    /** If the device is lost, an accepted operation on it has failed. */
    private void checkLoss(Target target) {
      HalException cause = target.device.lostCause();
      if (cause == null) {
        return;
      }
      String what = this + ": " + target.device + ": " + cause.getMessage();
      assertTrue(of(target).anyMatch(Attempt::mayHaveLost), what);
    }

    private Stream<Attempt> of(Target target) {
      return Arrays.stream(attempts).filter(attempt -> attempt.on == target);
    }

    @Override
    public String toString() {
      return call + " with " + wait + ", offset " + offset;
    }
  }

  private void runAway(Call call, int rounds) throws Exception {
    Files.writeString(folder.resolve("manifest.json"), MANIFEST);
    try (Quiet log = new Quiet()) {
      for (int round = 0; round < rounds; round++) {
        List<Runaway> threads = new ArrayList<>(); // together, as some wait for a second
        for (Wait wait : Wait.values()) {
          for (int i = 0; i < 2; i++) {
            threads.add(new Runaway(call, wait, 2 * round + i + call.ordinal()));
          }
        }
        for (Runaway thread : threads) {
          thread.check(log);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void acceptedOperationsEndAndLeaveNothing(Call call) throws Exception {
    runAway(call, 1);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void acceptedOperationsEndAndLeaveNothingInManyRounds(Call call) throws Exception {
    runAway(call, 20);
  }
}
