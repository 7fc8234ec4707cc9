// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.EVENT_ELAPSED;
import static org.jhal.simulator.fixture.NativeCall.EVENT_RECORD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.LogLines;
import org.jhal.simulator.fixture.NativeCall;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of operations on the device, which has its own clock. */
@Timeout(60)
class GpuTimesTest {
  private static final String EXECUTION = "org.jhal.Execution";
  private static final String COMMAND = "org.jhal.CommandExecution";
  private static final int BYTES = 1 << 20;

  /** How long the clocks run apart in a test. */
  private static final Duration APART = Duration.ofMillis(1_500);

  private static final Duration STEP = Duration.ofMillis(20);

  /** Longer than the timeout for reading the clock. */
  private static final Duration LATE = Duration.ofMillis(10);

  /** Added to the numbers of the operations of a second queue. */
  private static final long FAR = 1_000_000;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  @TempDir private Path folder;
  private final String name = sim.driver().name();

  /** A point in a recording at which an operation has certainly not begun, or is over. */
  @Name("org.jhal.test.Moment")
  @StackTrace(false)
  @SuppressWarnings("UnusedVariable") // the recorder reads the fields
  static final class Moment extends Event {
    long operation;
    boolean isOver;

    static void commit(long operation, boolean isOver) {
      Moment moment = new Moment();
      moment.operation = operation;
      moment.isOver = isOver;
      moment.commit();
    }
  }

  /** A program to record. */
  private interface Program {
    void run() throws Exception;
  }

  private List<RecordedEvent> record(Program program) throws Exception {
    Path file = Files.createTempFile(folder, "recording", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable(EXECUTION);
      recording.enable(Moment.class);
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file);
  }

  private static List<RecordedEvent> executions(List<RecordedEvent> events) throws IOException {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(EXECUTION))
        .toList();
  }

  /**
   * Fills one after the other, each within two moments that are recorded: as many as fit into the
   * time, and at least one for each 100 ms.
   */
  private void fills(Device device, Duration time) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(BYTES, BufferParams.DEVICE)) {
      long end = System.nanoTime() + time.toNanos();
      for (int i = 1; i <= 1 + time.toMillis() / 100 || System.nanoTime() < end; i++) {
        Moment.commit(i, false);
        device.queue(0).fill(Fence.NONE, done.at(i), buffer, 0, BYTES, FillPattern.of32(i));
        awaitReached(done, i);
        Moment.commit(i, true);
        LockSupport.parkNanos(STEP.toNanos()); // the clocks run apart meanwhile
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "-86400, 900000", "3600, -900000", "31536000, 50000"})
  void aClockThatIsWrongIsMappedWithinTheStatedError(long aheadSeconds, long drift)
      throws Exception {
    sim.simulator().clock(Duration.ofSeconds(aheadSeconds), drift);
    List<RecordedEvent> events =
        record(
            () -> {
              try (Device device = sim.open(name + "://0?queues=1")) {
                fills(device, APART);
              }
            });
    List<RecordedEvent> executions = executions(events);
    assertTrue(executions.size() > 5, executions::toString);
    checkMoments(events, executions);
    // Otherwise any time would pass. A reading of the clock that was held up is as wrong as that.
    long exact =
        executions.stream()
            .filter(it -> it.getDuration("error").compareTo(Duration.ofMillis(50)) < 0)
            .count();
    assertTrue(exact > executions.size() / 2, executions::toString);
  }

  /** Each execution lies between the moments that were recorded around it, within its error. */
  private static void checkMoments(List<RecordedEvent> events, List<RecordedEvent> executions) {
    checkMoments(events, executions, execution -> 0);
  }

  /** The moments have the numbers of the operations, and {@code plus} that of their queue. */
  private static void checkMoments(
      List<RecordedEvent> events,
      List<RecordedEvent> executions,
      ToLongFunction<RecordedEvent> plus) {
    Map<Long, Instant> before = new HashMap<>();
    Map<Long, Instant> after = new HashMap<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals("org.jhal.test.Moment")) {
        (event.getBoolean("isOver") ? after : before)
            .put(event.getLong("operation"), event.getStartTime());
      }
    }
    // Without a reading of the clock, as while the machine stands still, there are no times.
    int measured = executions.size();
    assertTrue(measured > after.size() / 2 && measured <= after.size(), () -> measured + " times");
    for (RecordedEvent execution : executions) {
      long operation = execution.getLong("operation") + plus.applyAsLong(execution);
      Duration error = execution.getDuration("error");
      Instant begin = execution.getStartTime().minus(execution.getDuration("beganAgo"));
      Instant end = begin.plus(execution.getDuration("took"));
      assertFalse(
          begin.plus(error).isBefore(before.get(operation)),
          () -> "begins at " + begin + ", enqueued at " + before.get(operation) + ": " + execution);
      assertFalse(
          end.minus(error).isAfter(after.get(operation)),
          () -> "ends at " + end + ", seen at " + after.get(operation) + ": " + execution);
      assertFalse(begin.isAfter(end), execution::toString);
    }
  }

  /** The clock's reference is renewed several times while it runs. */
  @Test
  void mapsTimesOfLongWorkBesideAnotherQueue() throws Exception {
    sim.simulator().clock(Duration.ofSeconds(100), 900_000);
    sim.simulator().delay("@copy", APART);
    List<RecordedEvent> events =
        record(
            () -> {
              try (Device device = sim.open(name + "://0?queues=2");
                  TimelineSemaphore copied = device.createSemaphore(0);
                  DeviceBuffer from = device.allocate(BYTES, BufferParams.DEVICE);
                  DeviceBuffer to = device.allocate(BYTES, BufferParams.DEVICE)) {
                Moment.commit(1 + FAR, false);
                device.queue(1).copy(Fence.NONE, copied.at(1), from, 0, to, 0, BYTES);
                fills(device, APART.dividedBy(2));
                awaitReached(copied, 1);
                Moment.commit(1 + FAR, true);
              } finally {
                sim.simulator().delay("@copy", Duration.ZERO);
              }
            });
    List<RecordedEvent> executions = executions(events);
    assertTrue(executions.size() > 5, executions::toString);
    Map<Long, List<RecordedEvent>> byQueue =
        executions.stream().collect(Collectors.groupingBy(it -> it.getLong("queue")));
    List<RecordedEvent> copies = // alone in their queue
        byQueue.values().stream().filter(all -> all.size() == 1).flatMap(List::stream).toList();
    assertEquals(1, copies.size(), executions::toString);
    long slow = copies.get(0).getLong("queue");
    Duration took = copies.get(0).getDuration("took");
    assertTrue(took.compareTo(APART) >= 0, () -> "the copy took " + took);
    checkMoments(events, executions, it -> it.getLong("queue") == slow ? FAR : 0);
  }

  /** Graphs are not used meanwhile. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "on", "off"})
  void eachCommandOfARecordingHasItsTime(String graph) throws Exception {
    int uses = 4;
    Path file = Files.createTempFile(folder, "commands", ".jfr");
    try (Recording recording = new Recording();
        Device device = sim.open(name + "://0?queues=1&graph=" + graph)) {
      assertTrue(device.capabilities().contains(Capability.COMMAND_TIMES));
      recording.enable(EXECUTION);
      recording.enable(COMMAND);
      recording.start();
      try (TimelineSemaphore done = device.createSemaphore(0);
          DeviceBuffer one = device.allocate(BYTES, BufferParams.DEVICE);
          DeviceBuffer two = device.allocate(BYTES, BufferParams.DEVICE);
          CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
        commands.label("first");
        commands.fill(one, 0, BYTES, FillPattern.of8(1));
        commands.barrier();
        commands.label("second");
        commands.copy(one, 0, two, 0, BYTES);
        commands.end();
        for (int use = 1; use <= uses; use++) {
          device.queue(0).execute(done.at(use - 1), done.at(use), commands);
          awaitReached(done, use);
        }
      }
      assertEquals(0, device.statistics().graphs().launches());
      device.close(); // what is recorded a moment after the signal is recorded then
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    List<RecordedEvent> runs =
        events.stream().filter(it -> it.getEventType().getName().equals(COMMAND)).toList();
    Map<Long, RecordedEvent> whole = new HashMap<>();
    executions(events).forEach(event -> whole.put(event.getLong("operation"), event));
    assertEquals(uses, whole.size(), events::toString);
    assertEquals(
        Map.of("0 fill first", (long) uses, "1 copy second", (long) uses),
        runs.stream()
            .collect(
                Collectors.groupingBy(
                    it ->
                        it.getInt("command")
                            + " "
                            + it.getString("kind")
                            + " "
                            + it.getString("label"),
                    Collectors.counting())));
    for (RecordedEvent run : runs) {
      RecordedEvent operation =
          Objects.requireNonNull(whole.get(run.getLong("operation")), run::toString);
      Duration errors = run.getDuration("error").plus(operation.getDuration("error"));
      Duration took = run.getDuration("took");
      assertFalse(took.minus(operation.getDuration("took")).compareTo(errors) > 0, run::toString);
      Instant began = run.getStartTime().minus(run.getDuration("beganAgo"));
      Instant first = operation.getStartTime().minus(operation.getDuration("beganAgo"));
      assertFalse(began.plus(errors).isBefore(first), () -> run + " of " + operation);
    }
  }

  @Test
  void commandsThatCannotBeTimedRunAllTheSame() throws Exception {
    sim.fail(EVENT_RECORD, 2, GpuFault.PLAIN_CODE); // behind the first command
    Path file = Files.createTempFile(folder, "commands", ".jfr");
    try (Recording recording = new Recording();
        LogLines ignored = new LogLines("org.jhal.gpu", line -> {});
        Device device = sim.open(name + "://0?queues=1");
        TimelineSemaphore done = device.createSemaphore(0);
        DeviceBuffer one = device.allocate(BYTES, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      recording.enable(COMMAND);
      recording.start();
      commands.fill(one, 0, BYTES, FillPattern.of8(1));
      commands.fill(one, 0, 4, FillPattern.of8(2));
      commands.end();
      for (int use = 1; use <= 3; use++) {
        device.queue(0).execute(done.at(use - 1), done.at(use), commands);
        awaitReached(done, use);
      }
      device.close(); // what is recorded a moment after the signal is recorded then
      recording.stop();
      recording.dump(file);
    }
    assertFalse(RecordingFile.readAllEvents(file).isEmpty());
  }

  /** It would take the thread that completes operations 2 ms each time. */
  @Test
  void doesNotReadASlowClockForEachOperation() throws Exception {
    long before = sim.calls(EVENT_RECORD);
    List<RecordedEvent> events =
        record(
            () -> {
              try (Device device = sim.open(name + "://0?queues=1")) {
                fills(device, STEP.multipliedBy(3)); // there is a reference
                sim.simulator().delay("@record", LATE);
                fills(device, APART);
              } finally {
                sim.simulator().delay("@record", Duration.ZERO);
              }
            });
    int operations = executions(events).size();
    // Two around each operation, one that the engine waits for, and eight in each good reading.
    long others = sim.calls(EVENT_RECORD) - before - 3L * operations;
    assertTrue(operations > 5, () -> operations + " operations");
    assertTrue(others < 3 * 8 + 12, () -> others + " records for " + operations + " operations");
  }

  @Test
  void failedMeasurementsAreLoggedOnce() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    try (LogLines ignored = new LogLines("org.jhal.gpu", line -> lines.add(line.getMessage()))) {
      for (int i = 1; i <= 6; i++) {
        sim.fail(EVENT_ELAPSED, i, GpuFault.PLAIN_CODE);
      }
      List<RecordedEvent> unused =
          record(
              () -> {
                try (Device device = sim.open(name + "://0?queues=1")) {
                  fills(device, STEP.multipliedBy(10));
                }
              });
    }
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains(sim.name(EVENT_ELAPSED)), lines::toString);
  }

  @Test
  void measuresTimesWhenRecordedOrRequested() throws Exception {
    for (String profile : List.of("auto", "on", "off")) {
      String uri = name + "://0?queues=1&profile=" + profile;
      long before = sim.calls(EVENT_ELAPSED);
      try (Device device = sim.open(uri)) {
        fills(device, Duration.ZERO);
      }
      assertEquals(profile.equals("on"), sim.calls(EVENT_ELAPSED) > before, uri + ", not recorded");
      List<RecordedEvent> events =
          record(
              () -> {
                try (Device device = sim.open(uri)) {
                  fills(device, Duration.ZERO);
                }
              });
      assertEquals(profile.equals("off") ? 0 : 1, executions(events).size(), uri + ", recorded");
    }
  }

  /** More than fit into a native stream at once. */
  @Test
  void measuresManyOperationsInFlight() throws Exception {
    int count = 1_000;
    List<RecordedEvent> events =
        record(
            () -> {
              try (Device device = sim.open(name + "://0?queues=2&inflight=500");
                  TimelineSemaphore gate = device.createSemaphore(0);
                  TimelineSemaphore even = device.createSemaphore(0);
                  TimelineSemaphore odd = device.createSemaphore(0);
                  DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
                for (int i = 1; i <= count; i++) {
                  TimelineSemaphore done = i % 2 == 0 ? even : odd;
                  device
                      .queue(i % 2)
                      .fill(gate.at(1), done.at(i), buffer, 0, 64, FillPattern.of32(i));
                }
                gate.signal(1);
                awaitReached(even, count);
                awaitReached(odd, count - 1);
              }
            });
    assertEquals(count, executions(events).size());
  }

  /** A graph is launched as a whole, so it has one interval. */
  @Test
  void aRecordingHasOneIntervalForEachSubmission() throws Exception {
    for (String graph : List.of("on", "off")) {
      List<RecordedEvent> events =
          record(
              () -> {
                try (Device device = sim.open(name + "://0?queues=1&graph=" + graph);
                    TimelineSemaphore done = device.createSemaphore(0);
                    DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
                    CommandBuffer commands =
                        device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
                  for (int i = 0; i < 10; i++) {
                    commands.fill(buffer, 0, 64, FillPattern.of8(i));
                    commands.barrier();
                  }
                  commands.end();
                  for (int i = 1; i <= 4; i++) {
                    device
                        .queue(0)
                        .execute(done.at(i - 1), done.at(i), commands, BindingTable.of());
                  }
                  awaitReached(done, 4);
                }
              });
      assertEquals(4, executions(events).size(), "graph=" + graph);
    }
  }

  /** A call that measures is not part of the operation, so its failure does not fail it. */
  @Test
  void aFailedMeasurementDoesNotFailTheOperation() throws Exception {
    // Of the events of the first operation two measure it.
    for (Map.Entry<NativeCall, Integer> call :
        List.of(
            Map.entry(EVENT_ELAPSED, 1), Map.entry(EVENT_RECORD, 1), Map.entry(EVENT_RECORD, 2))) {
      sim.fail(call.getKey(), call.getValue(), GpuFault.PLAIN_CODE);
      List<RecordedEvent> events =
          record(
              () -> {
                try (Device device = sim.open(name + "://0?queues=1")) {
                  for (int i = 0; i < 3; i++) { // together longer than the clock then pauses
                    fills(device, STEP.multipliedBy(4));
                  }
                }
              });
      assertTrue(executions(events).size() > 0, () -> "none is measured after " + call);
    }
  }
}
