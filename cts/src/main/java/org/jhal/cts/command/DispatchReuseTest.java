// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.command;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command buffers that are submitted several times, even while they are in flight: rule M4. */
@CtsSuite
class DispatchReuseTest {
  private static final int COUNT = 64;

  /** A reusable recording that computes {@code slot 1 = scale * slot 0 + offset}. */
  private static CommandBuffer reusable(Cts cts, int count, int scale, int offset) {
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(
        cts.kernel("scale_and_offset"),
        Workgroups.of(count),
        Args.of(Slot.of(0), Slot.of(1), scale, offset));
    commands.end();
    return commands;
  }

  @Test
  @Rule("M4")
  void isSubmittedAgainWithOtherBindings(Cts cts) {
    CommandBuffer commands = reusable(cts, COUNT, 3, 10);
    for (int run = 0; run < 3; run++) {
      int base = 100 * run;
      DeviceBuffer x = cts.buffer(ints(COUNT, i -> base + i));
      DeviceBuffer y = cts.buffer(4 * COUNT);
      TimelineSemaphore done = cts.semaphore();
      cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(x, y));
      awaitReached(done, 1);
      assertBytes(ints(COUNT, i -> 3 * (base + i) + 10), cts.read(y), "submission " + run);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void aGridMayBeLarge(Commands.Form form, Cts cts) {
    int count = 1024;
    DeviceBuffer x = cts.buffer(ints(count, i -> i));
    DeviceBuffer y = cts.buffer(4L * count);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("scale_and_offset"),
            Workgroups.of(count),
            Args.of(commands.ref(x), commands.ref(y), 5, 1));
    commands.run(cts.queue());
    assertBytes(ints(count, i -> 5 * i + 1), cts.read(y), "1024 workgroups");
  }

  @Test
  @Rule("M4")
  void oneDispatchMixesDirectAndBoundBuffers(Cts cts) {
    DeviceBuffer x = cts.buffer(ints(COUNT, i -> i));
    DeviceBuffer y = cts.buffer(4 * COUNT);
    TimelineSemaphore done = cts.semaphore();
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    commands.dispatch(
        cts.kernel("scale_and_offset"), Workgroups.of(COUNT), Args.of(x, Slot.of(0), 2, 2));
    commands.end();
    cts.queue().execute(Fence.NONE, done.at(1), commands, BindingTable.of(y));
    awaitReached(done, 1);
    assertBytes(ints(COUNT, i -> 2 * i + 2), cts.read(y), "2x + 2");
  }

  @Test
  @Rule({"Q2", "Q3", "M4"})
  void resourcesOfAParkedSubmissionMayBeClosed(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer y = cts.buffer(4 * COUNT);
    DeviceBuffer decoy = cts.buffer(ints(COUNT, i -> -1));
    BindingTable table = new BindingTable(2);
    try (DeviceBuffer x = cts.device().allocate(4 * COUNT, BufferParams.DEVICE);
        CommandBuffer commands = reusable(cts, COUNT, 3, 10)) {
      cts.write(x, 0, ints(COUNT, i -> i));
      cts.queue().execute(go.at(1), done.at(1), commands, table.set(0, x).set(1, y));
    }
    table.set(0, decoy).set(1, decoy);
    System.gc();
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ints(COUNT, i -> 3 * i + 10), cts.read(y), "3x + 10");
    assertBytes(ints(COUNT, i -> -1), cts.read(decoy), "the buffer that was bound too late");
  }

  /** Allocates, computes, copies the result and frees, without waiting on the host. */
  private static Timepoint cycle(
      Cts cts,
      DeviceQueue queue,
      CommandBuffer commands,
      DeviceBuffer x,
      DeviceBuffer out,
      Fence waits) {
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer y =
        cts.closing(queue.alloca(waits, timeline.at(1), out.size(), BufferParams.DEVICE));
    queue.execute(timeline.at(1), timeline.at(2), commands, BindingTable.of(x, y));
    queue.copy(timeline.at(2), timeline.at(3), y, 0, out, 0, out.size());
    queue.dealloca(timeline.at(3), timeline.at(4), y);
    return timeline.at(4);
  }

  @Test
  @Rule({"M1", "M4"})
  void cyclesOfAllocaExecuteAndDealloca(Cts cts) {
    int count = 128;
    CommandBuffer commands = reusable(cts, count, 7, 1);
    for (int run = 0; run < 3; run++) {
      int base = run;
      DeviceBuffer x = cts.buffer(ints(count, i -> base + i));
      DeviceBuffer out = cts.buffer(4L * count);
      awaitReached(cycle(cts, cts.queue(), commands, x, out, Fence.NONE));
      assertBytes(ints(count, i -> 7 * (base + i) + 1), cts.read(out), "cycle " + run);
    }
  }

  @Test
  @Rule({"M1", "M4"})
  void twoAllocaCyclesMayBeInFlight(Cts cts) {
    CommandBuffer commands = reusable(cts, COUNT, 7, 1);
    TimelineSemaphore go = cts.semaphore();
    DeviceBuffer first = cts.buffer(4 * COUNT);
    DeviceBuffer second = cts.buffer(4 * COUNT);
    Fence ends =
        Fence.of(
            cycle(cts, cts.queue(), commands, cts.buffer(ints(COUNT, i -> i)), first, go.at(1)),
            cycle(cts, cts.queue(), commands, cts.buffer(ints(COUNT, i -> -i)), second, go.at(1)));
    go.signal(1);
    awaitReached(ends);
    assertBytes(ints(COUNT, i -> 7 * i + 1), cts.read(first), "the first cycle");
    assertBytes(ints(COUNT, i -> 1 - 7 * i), cts.read(second), "the second cycle");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  @Rule("M4")
  void severalDispatchesUseSeparateSlots(int submissions, Cts cts) {
    int dispatches = 4;
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    for (int i = 0; i < dispatches; i++) {
      commands.dispatch(
          cts.kernel("scale_and_offset"),
          Workgroups.of(COUNT),
          Args.of(Slot.of(2 * i), Slot.of(2 * i + 1), 1 + i, 10 * i));
    }
    commands.end();
    for (int run = 0; run < submissions; run++) {
      int base = 1000 * run;
      BindingTable table = new BindingTable(2 * dispatches);
      DeviceBuffer[] results = new DeviceBuffer[dispatches];
      for (int i = 0; i < dispatches; i++) {
        results[i] = cts.buffer(4 * COUNT);
        table.set(2 * i, cts.buffer(ints(COUNT, n -> base + n))).set(2 * i + 1, results[i]);
      }
      TimelineSemaphore done = cts.semaphore();
      cts.queue().execute(Fence.NONE, done.at(1), commands, table);
      awaitReached(done, 1);
      for (int i = 0; i < dispatches; i++) {
        int d = i;
        byte[] expected = ints(COUNT, n -> (1 + d) * (base + n) + 10 * d);
        assertBytes(expected, cts.read(results[i]), "dispatch " + i + " of submission " + run);
      }
    }
  }

  @Test
  @Rule("M4")
  void oneRecordingMayBeInFlightManyTimesOnSeveralQueues(Cts cts) {
    int runs = 32;
    CommandBuffer commands = reusable(cts, COUNT, 3, 1);
    TimelineSemaphore go = cts.semaphore();
    List<DeviceBuffer> results = new ArrayList<>();
    List<Timepoint> ends = new ArrayList<>();
    BindingTable table = new BindingTable(2);
    for (int run = 0; run < runs; run++) {
      int base = 100 * run;
      DeviceBuffer y = cts.buffer(4 * COUNT);
      results.add(y);
      table.set(0, cts.buffer(ints(COUNT, i -> base + i))).set(1, y);
      TimelineSemaphore done = cts.semaphore();
      ends.add(done.at(1));
      DeviceQueue queue = cts.queue(run % cts.device().queueCount());
      // Some are parked and become ready together; the others are issued immediately.
      queue.execute(run % 3 == 0 ? Fence.NONE : go.at(1), done.at(1), commands, table);
    }
    commands.close();
    go.signal(1);
    awaitReached(Fence.of(ends));
    for (int run = 0; run < runs; run++) {
      int base = 100 * run;
      byte[] expected = ints(COUNT, i -> 3 * (base + i) + 1);
      assertBytes(expected, cts.read(results.get(run)), "submission " + run);
    }
  }

  @Test
  @Rule("M4")
  @Needs(Need.CONTROLS)
  @FreshDevice("inflight=64")
  void oneRecordingMayBeIssuedToSeveralQueuesBeforeItRuns(Cts cts) {
    Kernel append = cts.kernel("append");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(append, Workgroups.of(1), Args.of(Slot.of(0), 5));
    commands.end();
    int queues = cts.device().queueCount();
    for (int i = 0; i < queues; i++) {
      cts.controls().pause(cts.queue(i));
    }
    int submissions = 3 * queues;
    List<DeviceBuffer> lists = new ArrayList<>();
    List<Timepoint> ends = new ArrayList<>();
    for (int i = 0; i < submissions; i++) {
      DeviceBuffer list = cts.device().allocate(8, BufferParams.HOST);
      try (DeviceBuffer.Mapping mapping = list.map(DeviceBuffer.MapMode.WRITE)) {
        mapping.bytes().putInt(0, 0).putInt(4, 0);
      }
      lists.add(cts.closing(list));
      TimelineSemaphore done = cts.semaphore();
      ends.add(done.at(1));
      cts.queue(i % queues).execute(Fence.NONE, done.at(1), commands, BindingTable.of(list));
    }
    Waits.awaitTrue(
        "all submissions to be issued", () -> cts.device().statistics().issued() == submissions);
    for (int i = 0; i < queues; i++) {
      cts.controls().resume(cts.queue(i));
    }
    awaitReached(Fence.of(ends));
    for (DeviceBuffer list : lists) {
      assertBytes(ints(1, 5), cts.read(list), "a list that one submission appended to");
    }
  }

  @Test
  @Rule("M4")
  void severalThreadsMaySubmitOneRecording(Cts cts) throws Exception {
    int perThread = 50;
    CommandBuffer commands = reusable(cts, COUNT, 2, 1);
    List<Task<?>> tasks = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int base = 1000 * t;
      DeviceQueue queue = cts.queue(t % cts.device().queueCount());
      DeviceBuffer x = cts.buffer(ints(COUNT, i -> base + i));
      DeviceBuffer y = cts.buffer(4 * COUNT);
      TimelineSemaphore timeline = cts.semaphore();
      tasks.add(
          Task.run(
              "submitter-" + t,
              () -> {
                for (int i = 0; i < perThread; i++) {
                  Fence waits = i == 0 ? Fence.NONE : timeline.at(i);
                  boolean there = i % 2 == 0;
                  queue.execute(
                      waits,
                      timeline.at(1 + i),
                      commands,
                      there ? BindingTable.of(x, y) : BindingTable.of(y, x));
                }
                awaitReached(timeline, perThread);
                byte[] expected =
                    ints(
                        COUNT,
                        n -> {
                          int value = base + n;
                          for (int i = 0; i < perThread; i++) {
                            value = 2 * value + 1;
                          }
                          return value;
                        });
                assertBytes(expected, cts.read(x), "after " + perThread + " submissions");
              }));
    }
    for (Task<?> task : tasks) {
      task.join();
    }
  }
}
