// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.ALLOCATE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_COPY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_FILL;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_ADD_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_CREATE;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_DESTROY;
import static org.jhal.simulator.fixture.NativeCall.GRAPH_INSTANTIATE;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_LAUNCH;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_SET_KERNEL;
import static org.jhal.simulator.fixture.NativeCall.INSTANCE_UPLOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.LogRecord;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.faults.FaultLog;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.Simulator.GraphFault;
import org.jhal.simulator.fixture.HeldStream;
import org.jhal.simulator.fixture.LogLines;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reusable command buffers as native graphs (rule K6). */
@Timeout(60)
class GpuGraphTest {
  private static final int OUT_OF_MEMORY = 2;
  private static final int INVALID_VALUE = 1;
  private static final int LOST = 719;

  /** The functions that make a graph of all kinds of commands, in the order of their calls. */
  private static final List<NativeCall> MAKING =
      List.of(
          GRAPH_CREATE,
          GRAPH_ADD_KERNEL,
          GRAPH_ADD_FILL,
          GRAPH_ADD_COPY,
          GRAPH_INSTANTIATE,
          INSTANCE_UPLOAD);

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();
  private FaultLog log;

  @BeforeEach
  void listen() {
    log = new FaultLog();
  }

  @AfterEach
  void stopListening() {
    log.close();
  }

  /** A device with one queue, its kernels, and a recording over slot 0, a list of ints. */
  private final class Fixture implements AutoCloseable {
    final Device device;
    final Executable kernels;
    final CommandBuffer commands;
    final TimelineSemaphore timeline;
    private final int appends;
    private long uses;

    /**
     * The recording appends {@code appends} numbers to the list, and then updates and fills a
     * buffer of its own and copies from it.
     */
    Fixture(String options, int appends) {
      this.appends = appends;
      device = sim.open(name + "://0?queues=1" + options);
      kernels = device.loadExecutable(CtsKernels.bundle());
      timeline = device.createSemaphore(0);
      commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
      try (DeviceBuffer own = device.allocate(32, BufferParams.DEVICE)) {
        for (int i = 0; i < appends; i++) {
          commands.dispatch(kernels.kernel("append"), Workgroups.of(1), Args.of(Slot.of(0), i));
          commands.barrier();
        }
        commands.update(ByteBuffer.wrap(ints(1, 2)), own, 0);
        commands.fill(own, 16, 8, FillPattern.of32(3));
        commands.barrier();
        commands.copy(own, 0, own, 8, 8);
      }
      commands.end();
    }

    DeviceBuffer list() {
      int bytes = 4 * (1 + 40 * Math.max(1, appends));
      DeviceBuffer list = device.allocate(bytes, BufferParams.DEVICE);
      device
          .queue(0)
          .fill(timeline.at(uses), timeline.at(uses + 1), list, 0, bytes, FillPattern.ZERO);
      uses++;
      return list;
    }

    /** Submits the recording after all earlier work. */
    Fence submit(DeviceBuffer list) {
      device
          .queue(0)
          .execute(timeline.at(uses), timeline.at(uses + 1), commands, BindingTable.of(list));
      return timeline.at(++uses);
    }

    void run(DeviceBuffer list) {
      awaitReached(submit(list));
    }

    /** Runs a recording without slots. */
    void runThreeTimes(CommandBuffer other) {
      for (int i = 0; i < 3; i++) {
        device.queue(0).execute(timeline.at(uses), timeline.at(uses + 1), other);
        awaitReached(timeline, ++uses);
      }
    }

    /** Fills the stream with a chain of fills, except for a quarter of its room. */
    void fillOften(DeviceBuffer buffer) {
      for (int i = 0; i < 200; i++) {
        device
            .queue(0)
            .fill(timeline.at(uses), timeline.at(uses + 1), buffer, 0, 4, FillPattern.ZERO);
        uses++;
      }
    }

    GraphStatistics graphs() {
      return device.statistics().graphs();
    }

    /** Runs the recording until its graph, which is created in the background, is ready. */
    int runUntilThereIsAGraph(DeviceBuffer list) {
      run(list);
      run(list);
      Waits.awaitTrue("a graph", () -> graphs().instances() == 1);
      return 2;
    }

    void check(DeviceBuffer list, int times) {
      byte[] bytes = new byte[Math.toIntExact(4L * (1 + (long) times * appends))];
      device
          .queue(0)
          .readback(timeline.at(uses), timeline.at(uses + 1), list, 0, ByteBuffer.wrap(bytes));
      uses++;
      awaitReached(timeline, uses);
      assertBytes(
          ints(1 + times * appends, i -> i == 0 ? times * appends : (i - 1) % appends),
          bytes,
          "the list after " + times + " uses");
    }

    @Override
    public void close() {
      commands.close();
      kernels.close();
      timeline.close();
      device.close();
    }
  }

  @Test
  void createsAGraphInTheBackgroundAndLaunchesIt() {
    try (Fixture f = new Fixture("", 5);
        DeviceBuffer list = f.list()) {
      int uses = f.runUntilThereIsAGraph(list);
      assertEquals(0, f.graphs().launches());
      f.run(list);
      f.run(list);
      assertEquals(2, f.graphs().launches());
      assertEquals(0, f.graphs().nodesSet(), "the table is the same");
      f.check(list, uses + 2);
      f.commands.close();
      Waits.awaitTrue("no graph", () -> f.graphs().instances() == 0 && f.graphs().bytes() == 0);
    }
  }

  @Test
  void graphOnCreatesAGraphBeforeTheSecondUse() {
    try (Fixture f = new Fixture("&graph=on", 1);
        DeviceBuffer list = f.list()) {
      f.run(list);
      f.run(list);
      f.run(list);
      assertEquals(2, f.graphs().launches());
      assertEquals(Map.of(), f.graphs().fallbacks());
      f.check(list, 3);
    }
  }

  /** The first use is enqueued before the second one, for which a graph is created. */
  @Test
  void graphOnCreatesNoGraphForAWaitingFirstUse() {
    try (Fixture f = new Fixture("&graph=on", 1);
        DeviceBuffer list = f.list();
        TimelineSemaphore gate = f.device.createSemaphore(0)) {
      ByteBuffer none = ByteBuffer.wrap(ints(0));
      f.device.queue(0).update(f.timeline.at(f.uses), f.timeline.at(++f.uses), none, list, 0);
      awaitReached(f.timeline, f.uses); // the staging memory of updates is page-locked then
      f.device.queue(0).barrier(gate.at(1), f.timeline.at(++f.uses));
      for (int i = 0; i < 10; i++) {
        f.submit(list);
      }
      gate.signal(1);
      f.check(list, 10);
      assertEquals(9, f.graphs().launches());
      assertEquals(Map.of(), f.graphs().fallbacks());
    }
  }

  @Test
  void graphOffCreatesNoGraph() {
    try (Fixture f = new Fixture("&graph=off", 5);
        DeviceBuffer list = f.list()) {
      for (int i = 0; i < 4; i++) {
        f.run(list);
      }
      f.check(list, 4);
      assertEquals(GraphStatistics.NONE, f.graphs());
      assertEquals(0, sim.calls(GRAPH_CREATE));
    }
  }

  @Test
  void aChangedTableSetsTheNodesThatNameItsSlot() {
    try (Fixture f = new Fixture("&graph=on", 5);
        DeviceBuffer first = f.list();
        DeviceBuffer second = f.list()) {
      f.run(first);
      f.run(first);
      f.run(second);
      assertEquals(5, f.graphs().nodesSet());
      f.run(second);
      assertEquals(5, f.graphs().nodesSet());
      f.check(first, 2);
      f.check(second, 2);
      assertEquals(Map.of(), f.graphs().fallbacks());
    }
  }

  /** Launches keep their arguments, however often the instance is set meanwhile. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void manyUsesInFlightKeepTheirTables(boolean isFaulty) {
    if (isFaulty && !sim.gpu().setsNodesInFlight()) {
      sim.simulator().graphFaults(GraphFault.CHANGES_LAUNCHES_IN_FLIGHT, GraphFault.KEEPS_POINTERS);
    }
    try (Fixture f = new Fixture("&graph=on", 3)) {
      DeviceBuffer[] lists = new DeviceBuffer[8];
      for (int i = 0; i < lists.length; i++) {
        lists[i] = f.list();
      }
      f.run(lists[0]);
      f.run(lists[0]); // creating a graph waits for its upload
      sim.simulator().pause(0, 0);
      Fence last = Fence.NONE;
      for (int use = 0; use < 24; use++) {
        last = f.submit(lists[use % 8]);
      }
      Waits.awaitTrue("24 uses in the stream", () -> f.device.statistics().issued() == 24);
      sim.simulator().resume(0, 0);
      awaitReached(last);
      for (int i = 0; i < lists.length; i++) {
        f.check(lists[i], i == 0 ? 5 : 3);
        lists[i].close();
      }
      assertTrue(f.graphs().launches() >= 2, () -> f.graphs().toString());
      assertEquals(
          sim.gpu().setsNodesInFlight(),
          f.graphs().fallbacks().isEmpty(),
          () -> f.graphs().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void fallsBackIfTheRuntimeRefusesTheGraph(int call) {
    try (Fixture f = new Fixture("&graph=on", 3);
        DeviceBuffer list = f.list()) {
      f.run(list);
      sim.fail(MAKING.get(call), 1, OUT_OF_MEMORY);
      f.run(list);
      assertEquals(0, f.graphs().launches());
      assertEquals(Map.of("no memory for its graph", 1L), f.graphs().fallbacks());
      assertEquals(0, f.graphs().bytes());
      for (int i = 0; i < 10; i++) { // after some uses it is tried again
        f.run(list);
      }
      assertTrue(f.graphs().launches() > 0, () -> f.graphs().toString());
      f.check(list, 12);
    }
  }

  @Test
  void retriesAGraphThatWasRefusedInTheBackground() {
    try (Fixture f = new Fixture("", 3);
        DeviceBuffer list = f.list()) {
      f.run(list);
      sim.fail(GRAPH_INSTANTIATE, 1, INVALID_VALUE);
      f.run(list);
      sim.awaitCalls(GRAPH_DESTROY, 1);
      Waits.awaitTrue("the refused graph to be gone", () -> f.graphs().bytes() == 0);
      int uses = 2;
      for (; sim.calls(GRAPH_CREATE) < 2 && uses < 30; uses++) {
        f.run(list);
      }
      Waits.awaitTrue("a graph", () -> f.graphs().instances() == 1);
      assertTrue(
          f.graphs().fallbacks().containsKey("the runtime refused its graph"),
          () -> f.graphs().toString());
      f.check(list, uses);
    }
  }

  @Test
  void discardsAGraphThatWasSetInPart() {
    try (Fixture f = new Fixture("&graph=on", 4);
        DeviceBuffer first = f.list();
        DeviceBuffer second = f.list()) {
      f.run(first);
      f.run(first);
      sim.fail(INSTANCE_SET_KERNEL, 3, INVALID_VALUE);
      f.run(second);
      assertEquals(Map.of("the runtime refused its graph", 1L), f.graphs().fallbacks());
      f.run(first); // finds that the stream has passed the last launch
      Waits.awaitTrue("the graph to be destroyed", () -> f.graphs().instances() == 0);
      f.check(first, 3);
      f.check(second, 1);
    }
  }

  /** Part of a failed launch may have reached the stream. */
  @Test
  void doesNotRepeatAFailedLaunch() {
    try (Fixture f = new Fixture("&graph=on", 4);
        DeviceBuffer list = f.list()) {
      f.run(list);
      f.run(list);
      sim.fail(INSTANCE_LAUNCH, 1, INVALID_VALUE);
      try (TimelineSemaphore failing = f.device.createSemaphore(0)) {
        f.device.queue(0).execute(Fence.NONE, failing.at(1), f.commands, BindingTable.of(list));
        assertHal(
            Status.INVALID_ARGUMENT, awaitFailure(failing, 1), sim.shortName(INSTANCE_LAUNCH));
      }
      for (int use = 3; use <= 12; use++) {
        f.run(list); // command by command for a while, and then with another graph
      }
      f.check(list, 12);
      assertTrue(f.graphs().launches() > 1, () -> f.graphs().toString());
      assertEquals(1, f.graphs().instances());
    }
  }

  @Test
  void bytesOfUpdatesCountAsMemoryOfGraphs() {
    try (Fixture f = new Fixture("&graph=on&graph-memory=60k", 1);
        DeviceBuffer buffer = f.device.allocate(50 << 10, BufferParams.DEVICE);
        CommandBuffer large = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      large.update(ByteBuffer.allocate(50 << 10), buffer, 0);
      large.end();
      f.runThreeTimes(large);
      assertEquals(2, f.graphs().launches());
      assertTrue(f.graphs().bytes() > 50 << 10, () -> f.graphs().toString());
      large.close();
      Waits.awaitTrue("no graph", () -> f.graphs().bytes() == 0);
    }
    try (Fixture f = new Fixture("&graph=on&graph-memory=40k", 1);
        DeviceBuffer buffer = f.device.allocate(50 << 10, BufferParams.DEVICE);
        CommandBuffer large = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      large.update(ByteBuffer.allocate(50 << 10), buffer, 0);
      large.end();
      f.runThreeTimes(large);
      assertEquals(Map.of("no memory for its graph", 2L), f.graphs().fallbacks());
    }
  }

  /** Rule Q6: its second attempt never happens, which must not affect later uses. */
  @Test
  void aDeferredUseMayFailBeforeItsSecondAttempt() {
    try (Fixture f = new Fixture("&graph=on", 500);
        DeviceBuffer list = f.list();
        DeviceBuffer other = f.list();
        TimelineSemaphore producer = f.device.createSemaphore(0);
        TimelineSemaphore failing = f.device.createSemaphore(0)) {
      f.run(list);
      f.run(list);
      sim.simulator().pause(0, 0);
      try {
        f.fillOften(other);
        sim.fail(INSTANCE_SET_KERNEL, 7, INVALID_VALUE);
        f.device
            .queue(0)
            .execute(producer.at(1), failing.at(1), f.commands, BindingTable.of(other));
        producer.signal(1);
        Waits.awaitTrue("a fallback", () -> f.graphs().fallbacks().size() == 1);
        f.device.queue(0).barrier(Fence.NONE, producer.at(2));
        failing.fail(new HalException(Status.ABORTED, "on purpose"));
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(producer, 2);
      awaitReached(f.timeline, f.uses);
      for (int use = 0; use < 8; use++) {
        f.run(list);
      }
      f.check(list, 10);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLossReportedByAnyCallLosesTheDevice(Loss loss) {
    Fixture f = new Fixture("&graph=on", 2);
    DeviceBuffer first = f.list();
    DeviceBuffer second = f.list();
    f.run(first);
    if (loss.afterMaking) {
      f.run(first);
    }
    Waits.awaitRetired(f.device); // no event is left that could report the loss first
    sim.failForGood(loss.call(), LOST);
    f.submit(second);
    HalException failure = awaitFailure(f.timeline, f.uses);
    assertHal(Status.UNAVAILABLE, failure, loss.shortName(sim));
    assertHal(
        Status.UNAVAILABLE,
        () -> f.device.queue(0).barrier(Fence.NONE, f.timeline.at(100)),
        loss.shortName(sim));
    first.close();
    second.close();
    f.close();
    awaitFreed();
  }

  /** Waits for the memory, which is freed when the stream of the lost device has ended. */
  private void awaitFreed() {
    Waits.awaitTrue("the memory to be freed", () -> !sim.live().containsKey("memory"));
  }

  /** A call on graphs at which the device is lost. */
  enum Loss {
    CREATE(false),
    ADD(false),
    INSTANTIATE(false),
    UPLOAD(false),
    LAUNCH(true),
    SET(true);

    final boolean afterMaking;

    Loss(boolean afterMaking) {
      this.afterMaking = afterMaking;
    }

    /** Its name in messages. */
    String shortName(SimulatedDevices sim) {
      return sim.shortName(call()).replace("WithFlags", "");
    }

    NativeCall call() {
      return switch (this) {
        case CREATE -> GRAPH_CREATE;
        case ADD -> GRAPH_ADD_KERNEL;
        case INSTANTIATE -> GRAPH_INSTANTIATE;
        case UPLOAD -> INSTANCE_UPLOAD;
        case LAUNCH -> INSTANCE_LAUNCH;
        case SET -> INSTANCE_SET_KERNEL;
      };
    }
  }

  @Test
  void aLossInTheBackgroundLosesTheDevice() {
    Fixture f = new Fixture("", 3);
    DeviceBuffer list = f.list();
    f.run(list);
    sim.failForGood(GRAPH_INSTANTIATE, LOST);
    f.submit(list);
    Waits.awaitTrue("the loss", () -> f.device.lostCause() != null);
    // Work on the stream may have found the loss before the background did.
    assertHal(Status.UNAVAILABLE, Objects.requireNonNull(f.device.lostCause(), "the cause"), "719");
    list.close();
    f.close();
    awaitFreed();
  }

  /** Rule Q1: launches of large graphs do not fill a stream. */
  @Test
  void aLaunchCountsAsOneCommand() {
    try (Fixture f = new Fixture("&graph=on", 700);
        DeviceBuffer list = f.list()) {
      f.run(list);
      f.run(list);
      sim.simulator().pause(0, 0);
      for (int i = 0; i < 30; i++) {
        f.submit(list);
      }
      Waits.awaitTrue("30 launches in the stream", () -> f.device.statistics().issued() == 30);
      sim.simulator().resume(0, 0);
      awaitReached(f.timeline, f.uses);
      f.check(list, 32);
      assertEquals(31, f.graphs().launches());
    }
  }

  /** A use that turns out to need its single commands waits for room, and keeps its position. */
  @Test
  void aUseWithoutItsGraphWaitsForRoom() {
    try (Fixture f = new Fixture("&graph=on", 500);
        DeviceBuffer list = f.list();
        DeviceBuffer other = f.list();
        TimelineSemaphore late = f.device.createSemaphore(0)) {
      f.run(list);
      f.run(list);
      Waits.awaitRetired(f.device); // no operation but those behind it counts as issued
      sim.simulator().pause(0, 0);
      f.fillOften(other);
      sim.fail(INSTANCE_SET_KERNEL, 7, INVALID_VALUE);
      Fence last = f.submit(other);
      f.device.queue(0).barrier(Fence.NONE, late.at(1));
      try {
        Waits.awaitTrue("a fallback", () -> f.graphs().fallbacks().size() == 1);
        assertStaysPending(late.at(1));
        assertEquals(200, f.device.statistics().issued());
      } finally {
        sim.simulator().resume(0, 0);
      }
      awaitReached(last);
      awaitReached(late, 1);
      f.check(other, 1);
      f.check(list, 2);
    }
  }

  @Test
  void limitsTheMemoryOfGraphs() {
    try (Fixture f = new Fixture("&graph=on&graph-memory=40k", 10);
        DeviceBuffer list = f.list();
        DeviceBuffer numbers = f.list();
        CommandBuffer other = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      f.run(list);
      f.run(list);
      assertEquals(1, f.graphs().instances());
      for (int i = 0; i < 10; i++) {
        other.dispatch(f.kernels.kernel("append"), Workgroups.of(1), Args.of(numbers, i));
        other.barrier();
      }
      other.end();
      f.runThreeTimes(other);
      assertEquals(1, f.graphs().instances(), "the one that was idle made room");
      assertTrue(f.graphs().bytes() <= 40 << 10, () -> f.graphs().toString());
      f.run(list);
      f.check(list, 3);
    }
  }

  /** A recording of ten kernels that has run as a graph. */
  private static CommandBuffer runAsGraph(Fixture f, DeviceBuffer numbers) {
    CommandBuffer made = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
    for (int i = 0; i < 10; i++) {
      made.dispatch(f.kernels.kernel("append"), Workgroups.of(1), Args.of(numbers, i));
      made.barrier();
    }
    made.end();
    long before = f.graphs().launches();
    f.runThreeTimes(made);
    assertTrue(f.graphs().launches() > before, () -> f.graphs().toString());
    return made;
  }

  /** How many of three runs are launches of a graph. */
  private static long launchesOf(Fixture f, CommandBuffer recording) {
    long before = f.graphs().launches();
    f.runThreeTimes(recording);
    return f.graphs().launches() - before;
  }

  /** Neither the oldest one nor the newest one, if that was used since. */
  @Test
  void evictsTheLeastRecentlyUsedGraph() {
    try (Fixture f = new Fixture("&graph=on&graph-memory=60k", 10);
        DeviceBuffer numbers = f.list();
        CommandBuffer first = runAsGraph(f, numbers);
        CommandBuffer second = runAsGraph(f, numbers)) {
      assertEquals(2, f.graphs().instances());
      assertEquals(3, launchesOf(f, first), "launches of the first graph, which was used last");
      try (CommandBuffer third = runAsGraph(f, numbers)) {
        assertEquals(2, f.graphs().instances());
        assertEquals(3, launchesOf(f, first), "launches of the graph that was used last but one");
        assertEquals(3, launchesOf(f, third), "launches of the graph that was used last");
        assertEquals(0, launchesOf(f, second), "launches of the evicted graph");
      }
    }
  }

  /** The resources of an instance must stay until the stream has passed its last launch. */
  @Test
  void doesNotEvictAGraphWhoseLaunchRuns() {
    try (Fixture f = new Fixture("&graph=on&graph-memory=40k", 10);
        DeviceBuffer list = f.list();
        DeviceBuffer numbers = f.list();
        CommandBuffer other = f.device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      f.run(list);
      f.run(list);
      for (int i = 0; i < 10; i++) {
        other.dispatch(f.kernels.kernel("append"), Workgroups.of(1), Args.of(numbers, i));
        other.barrier();
      }
      other.end();
      try (HeldStream held = new HeldStream(sim.simulator(), f.device)) {
        Fence last = f.submit(list);
        Waits.awaitTrue("the launch", () -> f.graphs().launches() == 2);
        sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
        f.device.allocate(1 << 20, BufferParams.DEVICE).close();
        assertEquals(1, f.graphs().instances(), "an allocation that failed takes no memory of it");
        Fence ends = last;
        for (int i = 0; i < 2; i++) {
          f.device.queue(0).execute(ends, f.timeline.at(f.uses + 1), other);
          ends = f.timeline.at(++f.uses);
        }
        Waits.awaitTrue(
            "another recording to find no room",
            () -> f.graphs().fallbacks().containsKey("no memory for its graph"));
        assertEquals(1, f.graphs().instances(), "nor does another graph");
        held.release();
        awaitReached(ends);
      }
      f.check(list, 3);
      sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
      f.device.allocate(1 << 20, BufferParams.DEVICE).close();
      assertEquals(0, f.graphs().instances(), "behind its last launch it is idle");
    }
  }

  @Test
  void createsNoGraphWithoutMemoryForGraphs() {
    List<LogRecord> lines = new CopyOnWriteArrayList<>();
    try (LogLines ignored = new LogLines(GraphStatistics.class.getPackageName(), lines::add);
        Fixture f = new Fixture("&graph=on&graph-memory=0", 3);
        DeviceBuffer list = f.list()) {
      for (int i = 0; i < 6; i++) {
        f.run(list);
      }
      assertEquals(0, f.graphs().launches());
      assertTrue(f.graphs().fallbacks().containsKey("no memory for its graph"));
      lines.removeIf(line -> !line.getMessage().contains("one by one"));
      assertEquals(1, lines.size(), "once");
      assertNull(lines.get(0).getThrown(), "a stack trace of what a setting asks for");
      assertTrue(
          lines
              .get(0)
              .getMessage()
              .matches(
                  "\\S+: commands are issued one by one \\(no memory for its graph\\): a graph needs"
                      + " about [0-9]+ bytes; .* graph-memory allows"),
          () -> lines.get(0).getMessage());
      f.check(list, 6);
    }
  }

  @Test
  void aFailedAllocationEvictsIdleGraphs() {
    try (Fixture f = new Fixture("&graph=on", 3);
        DeviceBuffer list = f.list()) {
      f.run(list);
      f.run(list);
      assertEquals(1, f.graphs().instances());
      sim.fail(ALLOCATE, 1, OUT_OF_MEMORY);
      f.device.allocate(1 << 20, BufferParams.DEVICE).close();
      assertEquals(0, f.graphs().instances());
      f.run(list);
      f.check(list, 3);
    }
  }

  /** A graph that is being created, or in flight, when everything is closed. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&graph=on"})
  void closesWithAGraphInAnyState(String options) {
    for (int uses = 1; uses <= 4; uses++) {
      Fixture f = new Fixture(options, 100);
      DeviceBuffer list = f.list();
      Fence last = Fence.NONE;
      for (int i = 0; i < uses; i++) {
        last = f.submit(list);
      }
      f.commands.close();
      f.kernels.close();
      list.close();
      awaitReached(last);
      f.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "graph=maybe,INVALID_ARGUMENT,'auto, on, off'", "graph=,INVALID_ARGUMENT,'auto, on, off'",
    "graph-memory=-1,OUT_OF_RANGE,a size", "graph-memory=2000g,OUT_OF_RANGE,a size"
  })
  void refusesAMalformedSetting(String option, Status status, String rule) {
    assertHal(status, () -> sim.open(name + "://0?" + option).close(), "option 'graph", rule);
  }

  @Test
  void deviceReportsThatItHasGraphs() {
    try (Device device = sim.open(name + "://0")) {
      assertEquals("available", device.info().properties().get("graphs"));
    }
  }

  /** Remaining graphs are destroyed with the device, before their kernels. */
  @Test
  void closingTheDeviceDestroysItsGraphs() {
    Fixture f = new Fixture("&graph=on", 3);
    DeviceBuffer list = f.list();
    f.run(list);
    f.run(list);
    f.device.close();
    list.close();
    f.close();
  }
}
