// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CollectiveGroup;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.TestFolder;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every blocking call is rejected immediately wherever program code runs on a thread that others
 * wait for, even if there is nothing to wait for. Otherwise, the thread might wait for itself
 * forever.
 */
@CtsSuite
class NoWaitTest {
  private static final Duration LONG = Duration.ofHours(1);

  /** The places where program code runs. Each runs {@code body} once, perhaps later. */
  enum Place {
    /** On the thread that completes operations. */
    CALLBACK_OF_AN_OPERATION {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore done = cts.semaphore();
        done.onReach(1, failed -> body.run());
        cts.queue().barrier(Fence.NONE, done.at(1));
      }
    },
    STAGE_OF_AN_OPERATION {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore done = cts.semaphore();
        done.whenReached(1).thenRun(body);
        cts.queue().barrier(Fence.NONE, done.at(1));
      }
    },
    FUTURE_OF_TWO_OPERATIONS {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore one = cts.semaphore();
        TimelineSemaphore two = cts.semaphore();
        one.at(1).and(two.at(1)).whenAll().thenRun(body);
        cts.queue().barrier(Fence.NONE, one.at(1));
        cts.queue().barrier(one.at(1), two.at(1));
      }
    },
    /** Perhaps on a thread that copies data. */
    CALLBACK_OF_A_READBACK {
      @Override
      void run(Cts cts, Runnable body) {
        DeviceBuffer buffer = cts.buffer(1 << 20);
        TimelineSemaphore done = cts.semaphore();
        done.onReach(1, failed -> body.run());
        cts.queue().readback(Fence.NONE, done.at(1), buffer, 0, HostMemory.of(new byte[1 << 20]));
      }
    },
    CALLBACK_OF_A_COPY_BETWEEN_DEVICES {
      @Override
      void run(Cts cts, Runnable body) {
        DeviceBuffer from = cts.buffer(64);
        DeviceBuffer to = cts.buffer(cts.second(), 64, BufferParams.DEVICE);
        TimelineSemaphore done = cts.semaphore();
        done.onReach(1, failed -> body.run());
        cts.queue().copy(Fence.NONE, done.at(1), from, 0, to, 0, 64);
      }
    },
    /** On the thread of the host call, which has returned. */
    CALLBACK_OF_A_HOST_CALL {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore done = cts.semaphore();
        done.onReach(1, failed -> body.run());
        cts.queue().hostCall(Fence.NONE, done.at(1), HostCall.Mode.BLOCKING, context -> {});
      }
    },
    CALLBACK_WITHIN_A_HOST_CALL {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore inside = cts.semaphore();
        inside.onReach(1, failed -> body.run());
        cts.queue()
            .hostCall(
                Fence.NONE,
                cts.semaphore().at(1),
                HostCall.Mode.BLOCKING,
                context -> inside.signal(1));
      }
    },
    /** On the thread of the program that signals. */
    CALLBACK_OF_A_SIGNAL {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore signalled = cts.semaphore();
        signalled.onReach(1, failed -> body.run());
        signalled.signal(1);
      }
    },
    CALLBACK_OF_A_FAILURE {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore gate = cts.semaphore();
        TimelineSemaphore done = cts.semaphore();
        done.onReach(1, failed -> body.run());
        cts.queue().barrier(gate.at(1), done.at(1));
        gate.fail(new HalException(Status.ABORTED, "on purpose"));
      }
    },
    CALLBACK_OF_A_CLOSE {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore closed = cts.semaphore();
        closed.onReach(1, failed -> body.run());
        closed.close();
      }
    },
    /** On the thread that registers the callback. */
    CALLBACK_OF_A_REACHED_VALUE {
      @Override
      void run(Cts cts, Runnable body) {
        cts.semaphore(1).onReach(1, failed -> body.run());
      }
    },
    CALLBACK_OF_FREE_MEMORY {
      @Override
      void run(Cts cts, Runnable body) {
        HostMemory.of(new byte[4]).onFree(body);
      }
    },
    CALLBACK_OF_MEMORY_THAT_BECOMES_FREE {
      @Override
      void run(Cts cts, Runnable body) {
        HostMemory memory = HostMemory.of(new byte[4]);
        DeviceBuffer buffer = cts.buffer(4);
        TimelineSemaphore gate = cts.semaphore();
        cts.queue().upload(gate.at(1), cts.semaphore().at(1), memory, buffer, 0);
        memory.onFree(body);
        gate.signal(1);
      }
    },
    RELEASE_OF_IMPORTED_MEMORY {
      @Override
      void run(Cts cts, Runnable body) {
        if (!cts.device().capabilities().contains(Capability.HOST_IMPORT)) {
          throw Cts.unsupported("the device does not offer " + Capability.HOST_IMPORT);
        }
        cts.device()
            .allocator()
            .importHost(ByteBuffer.allocateDirect(4096), BufferParams.HOST, body)
            .close();
      }
    },
    /** On the thread that reads and writes files, in the program's own channel. */
    FILE_CHANNEL {
      @Override
      void run(Cts cts, Runnable body) throws Exception {
        Path path = new TestFolder(cts).file("eight");
        Files.write(path, new byte[8]);
        HookedChannel channel =
            cts.closing(
                new HookedChannel(
                    FileChannel.open(path, READ, WRITE),
                    nth -> {
                      if (nth == 1) {
                        body.run();
                      }
                      return HookedChannel.ALL;
                    }));
        DeviceBuffer buffer = cts.buffer(8);
        try (DeviceFile file = cts.device().wrapFile(channel)) {
          cts.queue().read(Fence.NONE, cts.semaphore().at(1), file, 0, buffer, 0, 8);
        }
      }
    },
    EXTERNAL_WORK {
      @Override
      void run(Cts cts, Runnable body) {
        new ExternalCommands(cts, cts.device());
        cts.queue().external(Fence.NONE, cts.semaphore().at(1), List.of(), context -> body.run());
      }
    },
    /** Of a collective that is cancelled by closing the group, on the thread that closes it. */
    CALLBACK_OF_A_GROUPS_CLOSE {
      @Override
      void run(Cts cts, Runnable body) {
        TimelineSemaphore gate = cts.semaphore();
        TimelineSemaphore done = cts.semaphore();
        DeviceBuffer buffer = cts.buffer(64);
        done.onReach(1, failed -> body.run());
        try (CollectiveGroup group = CollectiveGroup.of(cts.device())) {
          group.broadcast(
              0, List.of(new CollectiveGroup.Rank(gate.at(1), done.at(1), buffer, buffer)));
        }
      }
    };

    abstract void run(Cts cts, Runnable body) throws Exception;
  }

  /** A call that blocks. */
  private interface Call {
    void run() throws Exception;
  }

  /** Every blocking call, by name. Most of them have nothing to wait for. */
  private static final class Calls {
    private final List<String> names = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final DeviceQueue queue;
    private final DeviceBuffer buffer;
    private final HostMemory memory = HostMemory.of(new byte[4]);
    private final TimelineSemaphore looked;

    Calls(Cts cts) {
      Device device = cts.device();
      queue = cts.queue();
      buffer = cts.buffer(64);
      TimelineSemaphore reached = cts.semaphore(1);
      looked = reached;
      Fence both = reached.at(1).and(cts.semaphore(1).at(1));
      Sequence sequence = cts.closing(device.createSequence());
      Kernel kernel = cts.kernel("write_parameters");
      CommandBuffer commands = cts.closing(device.createCommandBuffer(CommandBuffer.Mode.REUSABLE));
      commands.end();
      CollectiveGroup group = cts.closing(CollectiveGroup.of(device));
      add("await", () -> reached.await(1));
      add("await with a timeout", () -> reached.await(1, LONG));
      add("tryAwait", () -> reached.tryAwait(1, LONG));
      add("awaitAll of one", () -> reached.at(1).awaitAll());
      add("awaitAll", both::awaitAll);
      add("awaitAll with a timeout", () -> both.awaitAll(LONG));
      add("awaitAny", both::awaitAny);
      add("awaitAny with a timeout", () -> both.awaitAny(LONG));
      add("tryAwaitAll", () -> both.tryAwaitAll(LONG));
      add("await of a sequence", sequence::await);
      add("await of a sequence with a timeout", () -> sequence.await(LONG));
      add("awaitFree", memory::awaitFree);
      add("awaitFree with a timeout", () -> memory.awaitFree(LONG));
      add("blocking read", () -> queue.blocking().read(buffer, memory));
      add("blocking write", () -> queue.blocking().write(memory, buffer));
      add("blocking fill", () -> queue.blocking().fill(buffer, FillPattern.ZERO));
      add(
          "blocking dispatch",
          () -> queue.blocking().run(kernel, Workgroups.of(1), Args.of(buffer, 1, 2, 3)));
      add("blocking execute", () -> queue.blocking().run(commands));
      add("making a group", () -> CollectiveGroup.of(device).close());
      add("closing a group", group::close);
      add("closing the device", device::close);
    }

    private void add(String name, Call call) {
      names.add(name);
      calls.add(call);
    }

    /** Makes all calls on this thread. Returns those that were not rejected as they should be. */
    String refusals() {
      List<String> wrong = new ArrayList<>();
      String thread = " on thread " + Thread.currentThread().getName() + " is refused";
      long before = queue.device().statistics().enqueued();
      for (int i = 0; i < calls.size(); i++) {
        try {
          calls.get(i).run();
          wrong.add(names.get(i) + " returned");
        } catch (HalException e) {
          String message = String.valueOf(e.getMessage());
          if (e.status() != Status.FAILED_PRECONDITION
              || !message.contains(thread)
              || !message.contains("on a thread of the program")) {
            wrong.add(names.get(i) + " threw " + e);
          }
        } catch (Throwable t) {
          wrong.add(names.get(i) + " threw " + t);
        }
      }
      try { // checking does not block
        looked.tryAwait(2, Duration.ZERO);
        memory.awaitFree(Duration.ZERO);
      } catch (Throwable t) {
        wrong.add("looking threw " + t);
      }
      long enqueued = queue.device().statistics().enqueued() - before;
      if (memory.isBorrowed() || enqueued != 0) {
        wrong.add(enqueued + " operations are enqueued");
      }
      return wrong.toString();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"S7", "Q8", "G3"})
  void blockingCallsAreRejected(Place place, Cts cts) throws Exception {
    cts.loadKernels();
    Calls calls = new Calls(cts);
    AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    place.run(cts, () -> wrong.set(calls.refusals()));
    assertEquals("[]", Waits.awaitSet("code of the program in " + place, wrong));
    assertNull(cts.device().lostCause());
    // The calling thread may wait again, even if callbacks have run on it.
    cts.queue().blocking().fill(cts.buffer(4), FillPattern.ZERO);
  }

  /**
   * This also holds after a callback, in which waiting was rejected, has run on the same thread.
   */
  @Test
  @Rule({"S7", "Q4"})
  void aHostCallMayWait(Cts cts) {
    DeviceQueue queue = cts.queue();
    DeviceBuffer buffer = cts.buffer(4);
    HostMemory memory = HostMemory.of(new byte[4]);
    TimelineSemaphore inside = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicBoolean isRefused = new AtomicBoolean();
    inside.onReach(
        1,
        failed -> {
          try {
            inside.await(1);
          } catch (HalException e) {
            isRefused.set(e.status() == Status.FAILED_PRECONDITION);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    queue.hostCall(
        Fence.NONE,
        done.at(1),
        HostCall.Mode.BLOCKING,
        context -> {
          queue.blocking().fill(buffer, FillPattern.of8(1));
          inside.signal(1);
          queue.blocking().read(buffer, memory);
          memory.awaitFree();
          inside.await(1);
        });
    Waits.awaitReached(done, 1);
    assertEquals(true, isRefused.get(), "the callback was refused to wait");
  }
}
