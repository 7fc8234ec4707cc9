// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations that touch the same bytes without an order (rule M3a), each kind of them. */
@CtsSuite
@FreshDevice("validate=hazards,fail")
class HazardTest {
  private static final FillPattern ONE = FillPattern.of32(1);
  private static final Workgroups GROUP = Workgroups.of(1);

  /** Waits for the failure of a timeline by a hazard, and checks its text. */
  private static void assertHazard(TimelineSemaphore done, String... parts) {
    HalException failure = awaitFailure(done, 1, Status.ABORTED);
    String text = String.valueOf(failure.getMessage());
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' in: " + text);
    }
  }

  private static void fill(Cts cts, Fence waits, Fence signals, DeviceBuffer target) {
    cts.queue().fill(waits, signals, target, 0, target.size(), ONE);
  }

  /** Another queue, if there is one: operations of one queue have no order either. */
  private static DeviceQueue last(Cts cts) {
    return cts.queue(cts.device().queueCount() - 1);
  }

  @Test
  @Rule("M3a")
  @FreshDevice("validate=hazards")
  void aMissingWaitIsLoggedAndNothingFails(Cts cts) {
    DeviceBuffer buffer = cts.buffer(76); // a size of its own: each place is logged once
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    fill(cts, Fence.NONE, first.at(1), buffer);
    cts.queue().copy(Fence.NONE, second.at(1), buffer, 16, cts.buffer(64), 0, 8);
    awaitReached(first, 1);
    awaitReached(second, 1);
    cts.awaitLog("reads bytes [16, 24) of a buffer of 76 bytes");
  }

  @Test
  @Rule("M3a")
  @Needs(Need.TWO_QUEUES)
  void theReportNamesBothOperationsAndTheWait(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    fill(cts, Fence.NONE, first.at(7), buffer);
    cts.queue(1)
        .dispatch(
            Fence.NONE,
            second.at(1),
            cts.kernel("negate"),
            GROUP,
            Args.of(buffer.slice(8, 4), cts.buffer(4)));
    assertHazard(
        second,
        cts.queue(1) + " operation 1 (dispatch of ",
        "reads bytes [8, 12) of",
        "while queue " + cts.queue() + " operation 1 (fill) may still write them",
        "add " + first + "@7 to the waits of operation 1");
  }

  @Test
  @Rule("M3a")
  void theReportHasTheNamesAndLinesOfTheProgram(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64).named("positions");
    TimelineSemaphore first = cts.semaphore().named("moved");
    TimelineSemaphore second = cts.semaphore();
    fill(cts, Fence.NONE, first.at(1), buffer);
    last(cts).copy(Fence.NONE, second.at(1), buffer, 0, cts.buffer(64), 0, 16);
    String test = HazardTest.class.getName();
    assertHazard(
        second,
        "reads bytes [0, 16) of the buffer 'positions' of 64 bytes of",
        "add moved#",
        "; the program enqueues the one at "
            + test
            + ".theReportHasTheNamesAndLinesOfTheProgram(HazardTest.java:",
        "), the other at " + test + ".fill(HazardTest.java:");
  }

  private static void fillAgain(Cts cts, TimelineSemaphore signalled, DeviceBuffer target) {
    cts.queue().fill(Fence.NONE, signalled.at(1), target, 0, target.size(), ONE);
  }

  /** The same operations that other lines of the program enqueue are reported, too. */
  @Test
  @Rule("M3a")
  @FreshDevice("validate=hazards")
  void eachPairOfLinesIsLogged(Cts cts) {
    DeviceBuffer buffer = cts.buffer(84); // a size of its own: each place is logged once
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore third = cts.semaphore();
    fill(cts, Fence.NONE, first.at(1), buffer);
    fillAgain(cts, second, buffer);
    fill(cts, Fence.NONE, third.at(1), buffer);
    awaitReached(first.at(1).and(second.at(1)).and(third.at(1)));
    String lines = "; the program enqueues the one at " + HazardTest.class.getName();
    cts.awaitLog(lines + ".fillAgain(HazardTest.java:");
    cts.awaitLog(lines + ".fill(HazardTest.java:");
  }

  @Test
  @Rule("M3a")
  void commandsHaveTheLinesThatHaveRecordedThem(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      for (int i = 0; i < 2; i++) {
        commands.fill(buffer, 0, 64, ONE);
      }
      commands.end();
      cts.queue().execute(Fence.NONE, done.at(1), commands);
      assertHazard(
          done,
          "; the program records both at "
              + HazardTest.class.getName()
              + ".commandsHaveTheLinesThatHaveRecordedThem(HazardTest.java:");
    }
  }

  @Test
  @Rule("M3a")
  void whatIsOrderedIsNoHazard(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore line = cts.semaphore();
    fill(cts, Fence.NONE, line.at(1), buffer);
    last(cts).barrier(line.at(1), line.at(2)); // a path through another operation
    fill(cts, line.at(2), line.at(3), buffer);
    awaitReached(line, 3);
    fill(cts, Fence.NONE, line.at(4), buffer); // behind what the host has seen
    awaitReached(line, 4);
  }

  @Test
  @Rule("M3a")
  void otherBytesAndTwoReadsAreNoHazard(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    fill(cts, Fence.NONE, first.at(1), buffer.slice(0, 32));
    fill(cts, Fence.NONE, second.at(1), buffer.slice(32, 32));
    Fence both = first.at(1).and(second.at(1));
    cts.queue().copy(both, first.at(2), buffer, 0, cts.buffer(64), 0, 64);
    cts.queue().copy(both, second.at(2), buffer, 0, cts.buffer(64), 0, 64);
    awaitReached(first, 2);
    awaitReached(second, 2);
  }

  @Test
  @Rule("M3a")
  void aValueThatAnotherOperationMayRaiseIsNoOrder(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    fill(cts, Fence.NONE, line.at(1), buffer);
    last(cts).barrier(Fence.NONE, line.at(2));
    fill(cts, line.at(1), done.at(1), buffer);
    assertHazard(done, "writes");
  }

  @Test
  @Rule("M3a")
  void waitsMayComeFirst(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    fill(cts, line.at(1), line.at(2), buffer);
    fill(cts, go.at(1), line.at(1), buffer);
    TimelineSemaphore done = cts.semaphore();
    fill(cts, go.at(1), done.at(1), buffer);
    go.signal(1);
    assertHazard(done, "writes");
  }

  @Test
  @Rule("M3a")
  void recordingsCountWithTheirBindings(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(Slot.of(0), 4, 8, ONE);
      commands.end();
      cts.queue().execute(Fence.NONE, first.at(1), commands, BindingTable.of(buffer.slice(16, 32)));
      last(cts).copy(Fence.NONE, second.at(1), buffer, 24, cts.buffer(64), 0, 16);
      assertHazard(
          second, "reads bytes [24, 28) of", "(execute), command 1 (fill), may still write them");
      awaitReached(first, 1);
    }
  }

  @Test
  @Rule("M3a")
  void commandsWithoutABarrierAreAHazard(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(buffer, 32, 32, ONE);
      commands.barrier();
      commands.fill(buffer, 0, 32, ONE);
      commands.copy(buffer, 16, cts.buffer(64), 0, 32);
      commands.end();
      cts.queue().execute(Fence.NONE, done.at(1), commands);
      assertHazard(
          done,
          cts.queue() + " operation 1 (execute): command 3 (copy) reads bytes [16, 32) of a buffer",
          "while command 2 (fill) may still write them: nothing orders the two; add a barrier");
      TimelineSemaphore again = cts.semaphore();
      cts.queue().execute(Fence.NONE, again.at(1), commands);
      assertHazard(again, "operation 2 (execute): command 3 (copy) reads");
    }
  }

  @Test
  @Rule("M3a")
  void commandsThatABarrierOrdersAreNoHazard(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      commands.fill(buffer, 0, 32, ONE);
      commands.fill(buffer, 32, 32, ONE);
      commands.barrier();
      commands.copy(buffer, 0, cts.buffer(64), 0, 64);
      commands.copy(buffer, 16, cts.buffer(64), 0, 32);
      commands.barrier();
      commands.dispatch(
          cts.kernel("negate"), GROUP, Args.of(buffer.slice(0, 4), buffer.slice(0, 4)));
      commands.end();
      cts.queue().execute(Fence.NONE, done.at(1), commands);
      awaitReached(done, 1);
    }
  }

  /** Whether two slots overlap is known when they are bound. */
  @Test
  @Rule("M3a")
  void commandsAreComparedWithTheirBindings(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore apart = cts.semaphore();
    TimelineSemaphore together = cts.semaphore();
    try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(Slot.of(0), 0, 16, ONE);
      commands.fill(Slot.of(1), 0, 16, ONE);
      commands.end();
      DeviceBuffer first = buffer.slice(0, 32);
      cts.queue()
          .execute(Fence.NONE, apart.at(1), commands, BindingTable.of(first, buffer.slice(16, 32)));
      awaitReached(apart, 1);
      cts.queue()
          .execute(
              Fence.NONE, together.at(1), commands, BindingTable.of(first, buffer.slice(12, 32)));
      assertHazard(together, "command 2 (fill) writes bytes [12, 16) of", "command 1 (fill)");
    }
  }

  @Test
  @Rule("M3a")
  void transfersAndMemoryOfTheQueueCount(Cts cts) {
    TimelineSemaphore made = cts.semaphore();
    DeviceBuffer buffer = cts.queue().alloca(Fence.NONE, made.at(1), 64, BufferParams.DEVICE);
    TimelineSemaphore line = cts.semaphore();
    fill(cts, made.at(1), line.at(1), buffer);
    TimelineSemaphore read = cts.semaphore();
    last(cts).readback(made.at(1), read.at(1), buffer, 0, ByteBuffer.allocate(64));
    assertHazard(read, "(readback) reads", "(fill) may still write them");
    TimelineSemaphore freed = cts.semaphore();
    cts.queue().dealloca(made.at(1), freed.at(1), buffer);
    assertHazard(freed, "(dealloca) frees");
    buffer.close();
  }

  /** Whether the program passes the array once more or the same object. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M3a", "Q2"})
  void hostMemoryThatIsBorrowedCounts(boolean isSameObject, Cts cts) {
    float[] array = new float[16];
    HostMemory memory = HostMemory.of(array);
    HostMemory again = isSameObject ? memory : HostMemory.of(array, 4, 8);
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().readback(Fence.NONE, first.at(1), cts.buffer(64), 0, memory);
    last(cts).upload(Fence.NONE, second.at(1), again, cts.buffer(64), 0);
    assertHazard(
        second,
        "(upload) reads bytes " + (isSameObject ? "[0, 64)" : "[16, 48)") + " of a float[], while",
        "(readback) may still write them",
        "add " + first + "@1 to the waits");
    awaitReached(first, 1);
  }

  @Test
  @Rule({"M3a", "Q2"})
  void otherPartsOfAnArrayAndTwoUploadsAreNoHazard(Cts cts) {
    byte[] array = new byte[64];
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore third = cts.semaphore();
    DeviceBuffer read = cts.buffer(32);
    cts.queue().readback(Fence.NONE, first.at(1), read, 0, HostMemory.of(array, 0, 32));
    HostMemory rest = HostMemory.of(array, 32, 32);
    last(cts).upload(Fence.NONE, second.at(1), rest, cts.buffer(32), 0);
    cts.queue().upload(Fence.NONE, third.at(1), rest, cts.buffer(32), 0);
    awaitReached(first.at(1).and(second.at(1)).and(third.at(1)));
  }

  /** How the program sees that host memory is free. */
  enum Look {
    WAIT {
      @Override
      void untilFree(HostMemory memory) throws InterruptedException {
        memory.awaitFree(Waits.LIMIT);
      }
    },
    ASK {
      @Override
      void untilFree(HostMemory memory) {
        awaitTrue("the memory to be free", () -> !memory.isBorrowed());
      }
    },
    CALLBACK {
      @Override
      void untilFree(HostMemory memory) {
        AtomicInteger calls = new AtomicInteger();
        var unused = memory.onFree(calls::incrementAndGet);
        awaitTrue("the callback", () -> calls.get() == 1);
      }
    };

    abstract void untilFree(HostMemory memory) throws InterruptedException;
  }

  /** It comes behind the operation, which needs no signal, and behind all that this waited for. */
  @ParameterizedTest
  @EnumSource
  @Rule({"M3a", "Q2"})
  void whoHasSeenHostMemoryFreeHasSeenTheEnd(Look look, Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore filled = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    HostMemory memory = HostMemory.of(new byte[32]);
    fill(cts, Fence.NONE, filled.at(1), buffer);
    cts.queue().readback(filled.at(1), Fence.NONE, buffer, 0, memory);
    look.untilFree(memory);
    fill(cts, Fence.NONE, done.at(1), buffer);
    cts.queue().upload(done.at(1), done.at(2), memory, buffer, 0);
    awaitReached(done, 2);
  }

  @Test
  @Rule({"M3a", "Q2"})
  @FreshDevice({"validate=hazards,fail", "queues=2"})
  @Needs(Need.TWO_QUEUES)
  void aSourceThatChangesWhileItIsBorrowedIsFound(Cts cts) {
    byte[] source = new byte[1 << 20];
    Blocker blocker = new Blocker(cts, cts.queue(1));
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue()
        .upload(blocker.timepoint(), first.at(1), HostMemory.of(source), cts.buffer(1 << 20), 0);
    awaitIssued(cts, blocker);
    source[source.length - 1] = 1;
    cts.queue().upload(first.at(1), second.at(1), HostMemory.of(source), cts.buffer(1 << 20), 0);
    assertHazard(
        second,
        "the program has changed bytes [0, 1048576) of a byte[], while queue " + cts.queue(),
        "operation 1 (upload) may still read them: before that, wait for " + first + "@1, or wait");
    blocker.release();
    awaitReached(first, 1);
  }

  @Test
  @Rule({"M3a", "Q2"})
  @FreshDevice({"validate=hazards", "queues=2"})
  @Needs(Need.TWO_QUEUES)
  void aSourceThatHasChangedIsFoundAtTheEnd(Cts cts) {
    double[] source = new double[64]; // the only one here: each place is logged once
    Blocker blocker = new Blocker(cts, cts.queue(1));
    TimelineSemaphore done = cts.semaphore();
    cts.queue().upload(blocker.timepoint(), done.at(1), HostMemory.of(source), cts.buffer(512), 0);
    awaitIssued(cts, blocker);
    source[63] = 1;
    blocker.release();
    awaitReached(done, 1);
    cts.awaitLog("the program has changed bytes [0, 512) of a double[]");
  }

  /**
   * Waits until an upload is issued that waits for {@code blocker}. One counts as issued when its
   * turn has come; when that of a barrier behind it has come, it has gone to the stream.
   */
  private static void awaitIssued(Cts cts, Blocker blocker) {
    cts.queue().barrier(blocker.timepoint(), Fence.NONE);
    awaitTrue(
        "the upload and a barrier to be issued", () -> cts.device().statistics().issued() == 3);
  }

  /** What a readback or a host call writes before the upload begins is no change of the source. */
  @Test
  @Rule({"M3a", "Q2"})
  void aSourceThatIsReadyInTimeIsNoHazard(Cts cts) {
    byte[] array = new byte[64];
    HostMemory memory = HostMemory.of(array);
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer from = cts.buffer(64);
    DeviceBuffer to = cts.buffer(64);
    fill(cts, Fence.NONE, line.at(1), from);
    cts.queue().readback(line.at(1), line.at(2), from, 0, memory);
    last(cts).upload(line.at(2), line.at(3), memory, to, 0);
    cts.queue()
        .hostCall(
            line.at(3), line.at(4), HostCall.Mode.BLOCKING, call -> Arrays.fill(array, (byte) 7));
    last(cts).upload(line.at(4), line.at(5), memory, to, 0);
    cts.queue().upload(line.at(5), line.at(6), memory, to, 0);
    awaitReached(line, 6);
    cts.awaitIdle();
  }

  /** The device may be past the readback before the host sees the end of the upload. */
  @Test
  @Rule({"M3a", "Q2"})
  void aReadbackIntoTheSourceBehindTheUploadIsNoHazard(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    for (int i = 0; i < 200; i++) {
      byte[] array = new byte[64];
      TimelineSemaphore line = cts.semaphore();
      cts.queue().upload(Fence.NONE, line.at(1), HostMemory.of(array), buffer, 0);
      fill(cts, line.at(1), line.at(2), buffer);
      cts.queue().readback(line.at(2), line.at(3), buffer, 0, HostMemory.of(array));
      awaitReached(line, 3);
    }
  }

  /** What one thread has seen counts for all. */
  @Test
  @Rule("M3a")
  void whatAnotherThreadHasSeenIsOrdered(Cts cts) throws Exception {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore line = cts.semaphore();
    for (int i = 0; i < 100; i++) {
      int value = i;
      fill(cts, Fence.NONE, line.at(value + 1), buffer);
      Task.run("seer", () -> line.await(value + 1, Waits.LIMIT)).join();
    }
  }

  @Test
  @Rule("M3a")
  void whatTheHostHasSeenInAHostCallIsOrdered(Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore inside = cts.semaphore();
    fill(cts, Fence.NONE, line.at(1), buffer);
    cts.queue()
        .hostCall(
            line.at(1),
            line.at(2),
            HostCall.Mode.BLOCKING,
            call -> fill(cts, Fence.NONE, inside.at(1), buffer));
    awaitReached(line, 2);
    awaitReached(inside, 1);
  }

  /** No wait could order anything behind it. */
  @Test
  @Rule("M3a")
  void whatTheHostHasSeenFailCountsNoMore(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore early = cts.semaphore();
    DeviceBuffer buffer = cts.queue().alloca(go.at(1), go.at(2), 64, BufferParams.DEVICE);
    fill(cts, Fence.NONE, early.at(1), buffer);
    awaitFailure(early, 1, Status.FAILED_PRECONDITION);
    go.signal(1);
    awaitReached(go, 2);
    buffer.close();
  }

  @Test
  @Rule("M3a")
  @Needs(Need.SECOND_DEVICE)
  void copiesBetweenDevicesCount(Cts cts) {
    Device other = cts.open("validate=hazards,fail");
    DeviceBuffer there = cts.buffer(other, 64, BufferParams.DEVICE);
    DeviceBuffer here = cts.buffer(64);
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().copy(Fence.NONE, first.at(1), here, 0, there, 0, 64);
    DeviceQueue queue = other.queue(0);
    queue.fill(Fence.NONE, second.at(1), there, 0, 4, ONE);
    assertHazard(second, "writes bytes [0, 4) of a buffer of 64 bytes", "copy");
    awaitReached(first, 1);
  }
}
