// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dispatches over grids that the device reads. */
@CtsSuite
@Needs(capabilities = Capability.INDIRECT_DISPATCH)
class IndirectDispatchTest {
  private static final int UNTOUCHED = 0xCD;

  /** Where a dispatch is made. */
  enum Place {
    QUEUE,
    RECORDING,
    /** With the counts and the target in slots. */
    BINDING_TABLE,
    /** The third use, which may have another form. */
    REUSED_RECORDING
  }

  /** Dispatches {@code write_group_ids} behind what {@code waits} says. */
  private static void writeIds(
      Cts cts, Place place, Fence waits, Fence signals, DeviceBuffer counts, DeviceBuffer ids) {
    Kernel kernel = cts.kernel("write_group_ids");
    if (place == Place.QUEUE) {
      cts.queue().dispatch(waits, signals, kernel, IndirectWorkgroups.of(counts), Args.of(ids));
      return;
    }
    Commands commands =
        new Commands(
            cts,
            place == Place.BINDING_TABLE ? Commands.Form.BINDING_TABLE : Commands.Form.DIRECT,
            CommandBuffer.Mode.REUSABLE);
    commands
        .buffer()
        .dispatch(kernel, IndirectWorkgroups.of(commands.ref(counts)), Args.of(commands.ref(ids)));
    if (place == Place.REUSED_RECORDING) {
      cts.write(counts, 0, ints(0, 0, 0));
      commands.run(cts.queue());
      commands.run(cts.queue());
    }
    commands.submit(cts.queue(), waits, signals);
  }

  /** The indices that the workgroups of a grid write, and the rest of {@code length} bytes. */
  private static byte[] ids(int x, int y, int z, int length) {
    byte[] ids =
        ints(
            3 * x * y * z,
            i -> {
              int group = i / 3;
              return switch (i % 3) {
                case 0 -> group % x;
                case 1 -> group / x % y;
                default -> group / x / y;
              };
            });
    return with(filled(length, UNTOUCHED), 0, ids);
  }

  static Stream<Arguments> grids() {
    return Stream.of(Place.values())
        .flatMap(
            place ->
                Stream.of(
                        new Workgroups(1, 1, 1),
                        new Workgroups(32, 1, 1),
                        new Workgroups(1, 7, 1),
                        new Workgroups(4, 3, 5),
                        new Workgroups(65_535, 1, 1),
                        new Workgroups(1, 1, 65_535))
                    .map(grid -> Arguments.of(place, grid)));
  }

  @ParameterizedTest
  @MethodSource("grids")
  @Rule("M6a")
  void eachWorkgroupOfTheGridRunsOnce(Place place, Workgroups grid, Cts cts) {
    int length = 12 * grid.x() * grid.y() * grid.z() + 16;
    DeviceBuffer ids = cts.buffer(filled(length, UNTOUCHED));
    DeviceBuffer counts = cts.buffer(12);
    TimelineSemaphore timeline = cts.semaphore();
    writeIds(cts, place, timeline.at(1), timeline.at(2), counts, ids);
    cts.queue() // enqueued behind what reads the counts
        .dispatch(
            Fence.NONE,
            timeline.at(1),
            cts.kernel("write_parameters"),
            Workgroups.of(1),
            Args.of(counts, grid.x(), grid.y(), grid.z()));
    awaitReached(timeline, 2);
    assertBytes(ids(grid.x(), grid.y(), grid.z(), length), cts.read(ids), "the indices");
  }

  @Test
  @Rule("M6a")
  void theHostMayWriteTheCountsUntilTheWaitsAreReached(Cts cts) {
    DeviceBuffer counts = cts.buffer(ints(9, 9, 9));
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    writeIds(cts, Place.QUEUE, go.at(1), done.at(1), counts, ids);
    cts.flush(cts.queue());
    assertPending(done, 1);
    cts.write(counts, 0, ints(2, 1, 2));
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ids(2, 1, 2, 64), cts.read(ids), "the indices");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M6a")
  void aBarrierOrdersTheCountsOfARecording(Commands.Form form, Cts cts) {
    DeviceBuffer counts = cts.buffer(24);
    DeviceBuffer first = cts.buffer(64);
    DeviceBuffer second = cts.buffer(64);
    Commands commands = new Commands(cts, form, CommandBuffer.Mode.REUSABLE);
    CommandBuffer buffer = commands.buffer();
    Kernel write = cts.kernel("write_parameters");
    Kernel ids = cts.kernel("write_group_ids");
    BufferRef slot = commands.ref(counts);
    buffer.fill(commands.ref(first), 0, 64, FillPattern.of8(UNTOUCHED));
    buffer.fill(commands.ref(second), 0, 64, FillPattern.of8(UNTOUCHED));
    buffer.dispatch(write, Workgroups.of(1), Args.of(commands.ref(counts, 0, 12), 3, 1, 1));
    buffer.barrier();
    buffer.dispatch(ids, IndirectWorkgroups.of(slot), Args.of(commands.ref(first)));
    buffer.dispatch(write, Workgroups.of(1), Args.of(commands.ref(counts, 12, 12), 1, 2, 2));
    buffer.barrier();
    buffer.dispatch(ids, IndirectWorkgroups.of(slot, 12), Args.of(commands.ref(second)));
    for (int use = 0; use < 4; use++) {
      cts.write(first, 0, filled(64, 0));
      cts.write(second, 0, filled(64, 0));
      commands.run(cts.queue());
      assertBytes(ids(3, 1, 1, 64), cts.read(first), "the first indices of use " + use);
      assertBytes(ids(1, 2, 2, 64), cts.read(second), "the second indices of use " + use);
    }
  }

  @Test
  @Rule({"M6a", "K6", "M4"})
  void eachUseOfARecordingReadsTheCountsOfItsTable(Cts cts) {
    int uses = 8;
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(
        cts.kernel("write_group_ids"), IndirectWorkgroups.of(Slot.of(0), 4), Args.of(Slot.of(1)));
    commands.end();
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> ends = new ArrayList<>();
    List<DeviceBuffer> targets = new ArrayList<>();
    for (int use = 0; use < uses; use++) {
      DeviceBuffer counts = cts.buffer(ints(99, 1 + use, 1, 2));
      DeviceBuffer ids = cts.buffer(filled(256, UNTOUCHED));
      TimelineSemaphore done = cts.semaphore();
      Fence waits = use % 2 == 0 ? Fence.NONE : go.at(1);
      cts.queue().execute(waits, done.at(1), commands, BindingTable.of(counts, ids));
      ends.add(done);
      targets.add(ids);
    }
    go.signal(1);
    for (int use = 0; use < uses; use++) {
      awaitReached(ends.get(use), 1);
      assertBytes(ids(1 + use, 1, 2, 256), cts.read(targets.get(use)), "the indices of use " + use);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 20})
  @Rule("M6a")
  void theCountsMayBeginAtEachMultipleOfFour(int offset, Cts cts) {
    DeviceBuffer all = cts.buffer(with(filled(64, 0xFF), 8 + offset, ints(2, 3, 1)));
    DeviceBuffer ids = cts.buffer(filled(128, UNTOUCHED));
    TimelineSemaphore done = cts.semaphore();
    IndirectWorkgroups place = IndirectWorkgroups.of(all.slice(8, 32), offset);
    cts.queue()
        .dispatch(Fence.NONE, done.at(1), cts.kernel("write_group_ids"), place, Args.of(ids));
    awaitReached(done, 1);
    assertBytes(ids(2, 3, 1, 128), cts.read(ids), "the indices");
  }

  @ParameterizedTest
  @CsvSource({"0,0,0", "0,1,1", "1,0,1", "5,5,0"})
  @Rule({"M6", "M6a"})
  void aCountOfZeroRunsNothing(int x, int y, int z, Cts cts) {
    DeviceBuffer counts = cts.buffer(ints(x, y, z));
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    for (Place place : Place.values()) {
      TimelineSemaphore done = cts.semaphore();
      writeIds(cts, place, Fence.NONE, done.at(1), counts, ids);
      awaitReached(done, 1);
      assertBytes(filled(64, UNTOUCHED), cts.read(ids), "what no workgroup wrote");
    }
  }

  /** Counts of which one is larger than the device accepts. */
  private static List<int[]> tooLarge(Workgroups most) {
    List<int[]> counts = new ArrayList<>();
    counts.add(new int[] {-1, 1, 1}); // the largest unsigned number
    counts.add(new int[] {1, 1, -1});
    counts.add(new int[] {Integer.MIN_VALUE, 1, 1});
    counts.add(new int[] {1, -1, 0}); // as at a call, where a zero makes no grid legal
    counts.add(new int[] {1, most.y() + 1, 1});
    return counts;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M6a")
  void aCountThatIsTooLargeFailsTheOperationAndRunsNothing(Place place, Cts cts) {
    Workgroups most = cts.device().info().maxWorkgroupCount();
    DeviceBuffer counts = cts.buffer(12);
    DeviceBuffer ids = cts.buffer(filled(256, UNTOUCHED));
    for (int[] grid : tooLarge(most)) {
      cts.write(counts, 0, ints(grid));
      TimelineSemaphore done = cts.semaphore();
      TimelineSemaphore behind = cts.semaphore();
      TimelineSemaphore go = cts.semaphore();
      writeIds(cts, place, go.at(1), done.at(1), counts, ids);
      cts.queue().barrier(done.at(1), behind.at(1));
      if (place == Place.REUSED_RECORDING) { // whose earlier uses need small counts
        cts.write(counts, 0, ints(grid));
      }
      go.signal(1);
      HalException failure = awaitFailure(done, 1, Status.OUT_OF_RANGE);
      String value =
          Integer.toUnsignedString(grid[0])
              + ","
              + Integer.toUnsignedString(grid[1])
              + ","
              + Integer.toUnsignedString(grid[2]);
      assertHal(
          Status.OUT_OF_RANGE, failure, "grid " + value, "write_group_ids", "at most " + most);
      FailedOperation operation = named(failure);
      assertEquals(cts.queue().toString(), operation.queue(), failure::toString);
      awaitFailure(behind, 1, Status.OUT_OF_RANGE);
      assertBytes(filled(256, UNTOUCHED), cts.read(ids), "what no workgroup wrote");
    }
    cts.write(counts, 0, ints(2, 2, 2));
    TimelineSemaphore done = cts.semaphore();
    writeIds(cts, Place.QUEUE, Fence.NONE, done.at(1), counts, ids);
    awaitReached(done, 1);
    assertBytes(ids(2, 2, 2, 256), cts.read(ids), "the indices of a later dispatch");
  }

  private static FailedOperation named(HalException failure) {
    return Objects.requireNonNull(failure.operation(), failure::toString);
  }

  /** What it would read is undefined then. */
  @Test
  @Rule({"M6a", "Q6"})
  void aFailedProducerOfTheCountsIsTheReason(Cts cts) {
    DeviceBuffer counts = cts.buffer(ints(-1, -1, -1));
    DeviceBuffer other = cts.buffer(ints(1, 1, 1));
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore line = cts.semaphore();
    TimelineSemaphore last = cts.semaphore();
    writeIds(cts, Place.QUEUE, go.at(1), line.at(1), counts, ids);
    writeIds(cts, Place.QUEUE, line.at(1), line.at(2), counts, ids);
    writeIds(cts, Place.QUEUE, line.at(2), last.at(1), other, ids);
    go.signal(1);
    HalException first = awaitFailure(line, 2, Status.OUT_OF_RANGE);
    HalException then = awaitFailure(last, 1, Status.OUT_OF_RANGE);
    assertEquals(named(first).number(), named(then).number(), "what failed by itself");
  }

  @Test
  @Rule({"M6a", "Q5"})
  void aChainOverAllQueuesComputesItsOwnGrids(Cts cts) {
    int count = 100;
    int part = 12 * 4;
    DeviceBuffer counts = cts.buffer(12L * count);
    DeviceBuffer ids = cts.buffer(filled(part * count, UNTOUCHED));
    TimelineSemaphore timeline = cts.semaphore();
    byte[] expected = filled(part * count, UNTOUCHED);
    for (int i = 0; i < count; i++) {
      int groups = i % 5;
      DeviceBuffer own = counts.slice(12L * i, 12);
      cts.queue((2 * i) % cts.device().queueCount())
          .dispatch(
              timeline.at(2 * i),
              timeline.at(2 * i + 1),
              cts.kernel("write_parameters"),
              Workgroups.of(1),
              Args.of(own, groups, 1, 1));
      cts.queue((2 * i + 1) % cts.device().queueCount())
          .dispatch(
              timeline.at(2 * i + 1),
              timeline.at(2 * i + 2),
              cts.kernel("write_group_ids"),
              IndirectWorkgroups.of(own),
              Args.of(ids.slice((long) part * i, part)));
      expected = with(expected, part * i, ids(groups, 1, 1, part));
    }
    awaitReached(timeline, 2 * count);
    assertBytes(expected, cts.read(ids), "the indices of all dispatches");
  }

  @Test
  @Rule("M6a")
  void aSequenceTakesItAsAStep(Cts cts) throws InterruptedException {
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    try (Sequence sequence = cts.device().createSequence()) {
      QueueSteps steps = sequence.on(cts.queue());
      DeviceBuffer counts = steps.allocate(ElementType.U32, 3);
      steps.dispatch(cts.kernel("write_parameters"), Workgroups.of(1), Args.of(counts, 1, 2, 1));
      steps.dispatch(cts.kernel("write_group_ids"), IndirectWorkgroups.of(counts), Args.of(ids));
      sequence.await(Waits.LIMIT);
    }
    assertBytes(ids(1, 2, 1, 64), cts.read(ids), "the indices");
  }

  @Test
  @Rule({"M6a", "Q2", "Q3"})
  void theCountsMayBeClosedRightAfterTheCall(Cts cts) {
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    try (DeviceBuffer counts = cts.device().allocate(12, BufferParams.DEVICE)) {
      cts.write(counts, 0, ints(3, 1, 1));
      writeIds(cts, Place.QUEUE, go.at(1), done.at(1), counts, ids);
    }
    System.gc();
    go.signal(1);
    awaitReached(done, 1);
    assertBytes(ids(3, 1, 1, 64), cts.read(ids), "the indices");
  }

  @Test
  @Rule({"M6a", "M1"})
  void theCountsMayBeInMemoryOfTheQueue(Cts cts) {
    DeviceQueue queue = cts.queue();
    DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
    TimelineSemaphore line = cts.semaphore();
    DeviceBuffer counts =
        cts.closing(queue.alloca(line.at(1), line.at(2), 12, BufferParams.DEVICE));
    queue.dispatch(
        line.at(2),
        line.at(3),
        cts.kernel("write_parameters"),
        Workgroups.of(1),
        Args.of(counts, 4, 1, 1));
    writeIds(cts, Place.QUEUE, line.at(3), line.at(4), counts, ids);
    queue.dealloca(line.at(4), line.at(5), counts);
    line.signal(1);
    awaitReached(line, 5);
    assertBytes(ids(4, 1, 1, 64), cts.read(ids), "the indices");
  }

  @Test
  @Rule("M6a")
  void theCountsMayBeInMemoryOfTheHost(Cts cts) {
    for (BufferParams params : List.of(BufferParams.HOST, BufferParams.HOST_UPLOAD)) {
      DeviceBuffer counts = cts.buffer(cts.device(), 16, params);
      try (DeviceBuffer.Mapping mapping = counts.map(4, 12, DeviceBuffer.MapMode.WRITE)) {
        mapping.bytes().put(ints(2, 1, 1));
      }
      DeviceBuffer ids = cts.buffer(filled(64, UNTOUCHED));
      TimelineSemaphore done = cts.semaphore();
      IndirectWorkgroups place = IndirectWorkgroups.of(counts, 4);
      cts.queue()
          .dispatch(Fence.NONE, done.at(1), cts.kernel("write_group_ids"), place, Args.of(ids));
      awaitReached(done, 1);
      assertBytes(ids(2, 1, 1, 64), cts.read(ids), "the indices with counts in " + params.type());
    }
  }

  private static void assertRefused(
      Cts cts, Status status, IndirectWorkgroups place, String... parts) {
    DeviceBuffer ids = cts.buffer(64);
    TimelineSemaphore done = cts.semaphore();
    Kernel kernel = cts.kernel("write_group_ids");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT));
    long enqueued = cts.device().statistics().enqueued();
    assertHal(
        status,
        () -> cts.queue().dispatch(Fence.NONE, done.at(1), kernel, place, Args.of(ids)),
        parts);
    assertHal(status, () -> commands.dispatch(kernel, place, Args.of(ids)), parts);
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
  }

  @Test
  @Rule({"M5", "M6a"})
  void aWrongPlaceOfTheCountsIsRejected(Cts cts) {
    DeviceBuffer counts = cts.buffer(32);
    String what = "workgroup counts";
    assertRefused(
        cts, Status.OUT_OF_RANGE, IndirectWorkgroups.of(counts, 24), what, "24", "12", "32");
    assertRefused(
        cts, Status.OUT_OF_RANGE, IndirectWorkgroups.of(counts, Long.MAX_VALUE), what, "32");
    assertRefused(cts, Status.OUT_OF_RANGE, IndirectWorkgroups.of(cts.buffer(8)), what, "12", "8");
    assertRefused(
        cts, Status.INVALID_ARGUMENT, IndirectWorkgroups.of(counts, 2), what, "2", "multiple of 4");
    assertRefused(
        cts,
        Status.INVALID_ARGUMENT,
        IndirectWorkgroups.of(counts.slice(1, 16), 4),
        what,
        "5",
        "multiple of 4");
    BufferParams params = BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET);
    assertRefused(
        cts,
        Status.PERMISSION_DENIED,
        IndirectWorkgroups.of(cts.buffer(cts.device(), 12, params)),
        what,
        "DISPATCH_READ");
    DeviceBuffer closed = cts.device().allocate(12, BufferParams.DEVICE);
    closed.close();
    assertRefused(cts, Status.FAILED_PRECONDITION, IndirectWorkgroups.of(closed), what, "closed");
    assertHal(Status.OUT_OF_RANGE, () -> IndirectWorkgroups.of(counts, -4), "-4");
  }

  @Test
  @Rule({"M5", "M6a"})
  void aSlotIsRejectedByAQueueAndCheckedByAnExecution(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer ids = cts.buffer(64);
    Kernel kernel = cts.kernel("write_group_ids");
    IndirectWorkgroups place = IndirectWorkgroups.of(Slot.of(2), 8);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().dispatch(Fence.NONE, done.at(1), kernel, place, Args.of(ids)),
        "workgroup counts",
        "index=2");
    CommandBuffer commands =
        cts.closing(cts.device().createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    commands.dispatch(kernel, place, Args.of(ids));
    commands.end();
    assertBinding(cts, commands, cts.buffer(19), Status.OUT_OF_RANGE, "slot 2", "20 bytes");
    assertBinding(
        cts,
        commands,
        cts.buffer(64).slice(2, 32),
        Status.INVALID_ARGUMENT,
        "slot 2",
        "multiple of 4");
    BufferParams params = BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET);
    assertBinding(
        cts,
        commands,
        cts.buffer(cts.device(), 20, params),
        Status.PERMISSION_DENIED,
        "slot 2",
        "DISPATCH_READ");
  }

  private static void assertBinding(
      Cts cts, CommandBuffer commands, DeviceBuffer bound, Status status, String... parts) {
    TimelineSemaphore done = cts.semaphore();
    BindingTable table = new BindingTable(3).set(2, bound);
    assertHal(status, () -> cts.queue().execute(Fence.NONE, done.at(1), commands, table), parts);
    assertPending(done, 1);
  }

  @Test
  @Rule({"M5", "M6a"})
  @Needs(Need.SECOND_DEVICE)
  void countsOfAnotherDeviceAreRejected(Cts cts) {
    Device second = cts.second();
    DeviceBuffer counts = cts.buffer(second, 12, BufferParams.DEVICE);
    assertRefused(
        cts, Status.INVALID_ARGUMENT, IndirectWorkgroups.of(counts), "workgroup counts", "not ");
  }

  @Test
  @Rule({"M3a", "M6a"})
  @FreshDevice("validate=hazards,fail")
  void aMissingWaitForTheCountsIsFound(Cts cts) {
    DeviceBuffer counts = cts.buffer(12);
    DeviceBuffer ids = cts.buffer(64);
    TimelineSemaphore written = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, written.at(1), counts, 0, 12, FillPattern.of8(0));
    writeIds(cts, Place.QUEUE, Fence.NONE, done.at(1), counts, ids);
    HalException hazard = awaitFailure(done, 1, Status.ABORTED);
    assertHal(Status.ABORTED, hazard, "reads bytes [0, 12) of", "workgroup counts");
    awaitReached(written, 1);
    TimelineSemaphore ordered = cts.semaphore();
    writeIds(cts, Place.QUEUE, written.at(1), ordered.at(1), counts, cts.buffer(64));
    awaitReached(ordered, 1);
  }
}
