// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.examples.pipeline.Pipeline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The events that programs on the mock leave in a recording. */
@Timeout(120)
class EventsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  static final int STEPS = 200;

  @TempDir private Path folder;

  private Recorded record(Recorded.Program program) throws Exception {
    return Recorded.of(folder.resolve("recording.jfr"), program);
  }

  /** Operations on two devices and four queues, each of which waits for one or two before it. */
  static void web() throws InterruptedException {
    try (Device left = Hal.openDevice("mock://0?devices=2&queues=2");
        Device right = Hal.openDevice("mock://1?devices=2&queues=2&seed=7");
        TimelineSemaphore one = left.createSemaphore(0);
        TimelineSemaphore two = right.createSemaphore(0)) {
      List<Device> devices = List.of(left, right);
      for (int i = 1; i <= STEPS; i++) {
        Device device = devices.get(i % 2);
        DeviceBuffer buffer = device.allocate(1 << 12, BufferParams.DEVICE);
        Fence waits = i == 1 ? one.at(1) : Fence.of(one.at(i), two.at(2L * i - 2));
        device
            .queue(i / 2 % 2)
            .fill(
                waits,
                Fence.of(one.at(i + 1), two.at(2L * i)),
                buffer,
                0,
                1 << 12,
                FillPattern.of8(i));
        buffer.close();
      }
      one.signal(1);
      two.await(2L * STEPS, DEADLINE);
    }
  }

  private static String key(RecordedEvent event) {
    return event.getLong("queue") + "/" + event.getLong("operation");
  }

  private static Map<String, RecordedEvent> byOperation(List<RecordedEvent> events) {
    Map<String, RecordedEvent> found = new HashMap<>();
    for (RecordedEvent event : events) {
      RecordedEvent before = found.put(key(event), event);
      assertEquals(null, before, () -> "two events of operation " + key(event) + ": " + event);
    }
    return found;
  }

  private static RecordedEvent of(Map<String, RecordedEvent> events, RecordedEvent edge) {
    return Objects.requireNonNull(events.get(key(edge)), edge::toString);
  }

  private static Instant began(RecordedEvent execution) {
    return execution.getStartTime().minus(execution.getDuration("beganAgo"));
  }

  @Test
  void eachEdgeLeadsFromOneOperationToALaterOne() throws Exception {
    Recorded recorded = record(EventsTest::web);
    Map<String, RecordedEvent> operations = byOperation(recorded.of("Operation"));
    Map<String, RecordedEvent> executions = byOperation(recorded.of("Execution"));
    assertEquals(STEPS, operations.size());
    assertEquals(STEPS, executions.size());
    assertEquals(STEPS, byOperation(recorded.of("Submission")).size());
    Map<Long, TreeMap<Long, RecordedEvent>> signals = new HashMap<>();
    List<RecordedEvent> waits = new ArrayList<>();
    for (RecordedEvent edge : recorded.of("TimelineEdge")) {
      if (edge.getBoolean("isSignal")) {
        signals
            .computeIfAbsent(edge.getLong("timeline"), timeline -> new TreeMap<>())
            .put(edge.getLong("value"), edge);
      } else {
        waits.add(edge);
      }
    }
    assertEquals(2 * STEPS - 1, waits.size());
    assertEquals(2, signals.size());
    assertEquals(
        2 * STEPS + 1, signals.values().stream().mapToInt(TreeMap::size).sum(), "with the host's");
    for (RecordedEvent wait : waits) {
      RecordedEvent producer =
          Objects.requireNonNull(
                  Objects.requireNonNull(signals.get(wait.getLong("timeline")), wait::toString)
                      .ceilingEntry(wait.getLong("value")),
                  wait::toString)
              .getValue();
      Instant consumed = began(of(executions, wait));
      if (producer.getLong("queue") == 0) {
        assertTrue(producer.getStartTime().isBefore(consumed.plusMillis(1)), wait::toString);
        continue;
      }
      RecordedEvent execution = of(executions, producer);
      Instant produced = began(execution).plus(execution.getDuration("took"));
      Duration slack =
          execution.getDuration("error").plus(of(executions, wait).getDuration("error"));
      assertFalse(produced.isAfter(consumed.plus(slack)), () -> producer + " before " + wait);
      // Threads commit the events of operations in any order, so their ends are not ordered.
      assertFalse(
          of(operations, producer).getStartTime().isAfter(of(operations, wait).getEndTime()),
          () -> producer + " begins before " + wait + " is over");
    }
  }

  @Test
  void recordsEachNameOncePerRecording() throws Exception {
    try (Device device = Hal.openDevice("mock")) {
      for (int i = 0; i < 2; i++) {
        Recorded recorded = record(() -> barrier(device));
        List<String> names = new ArrayList<>();
        for (RecordedEvent name : recorded.of("Name")) {
          names.add(name.getString("kind") + " " + name.getString("name"));
        }
        assertTrue(names.contains("queue mock-0-q0"), names::toString);
        long queue = recorded.of("Submission").get(0).getLong("queue");
        RecordedEvent own =
            recorded.of("Name").stream()
                .filter(name -> name.getLong("number") == queue)
                .findFirst()
                .orElseThrow();
        assertEquals("mock-0-q0", own.getString("name"));
        assertTrue(
            recorded.of("Name").stream()
                .anyMatch(
                    name ->
                        name.getLong("number") == own.getLong("owner")
                            && name.getString("name").startsWith("mock-0 (")),
            names::toString);
      }
    }
  }

  private static void barrier(Device device) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).barrier(Fence.NONE, done.at(1));
      done.await(1, DEADLINE);
    }
  }

  /** Waits until {@code thread} does. */
  static void awaitWaiting(Thread thread) {
    long start = System.nanoTime();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(
          System.nanoTime() - start < DEADLINE.toNanos(),
          () -> "waited " + DEADLINE + " for " + thread + " to wait");
      Thread.onSpinWait();
    }
  }

  @Test
  void recordsAllEventsOfAnOperation() throws Exception {
    byte[] bytes = new byte[100];
    Thread host = Thread.currentThread();
    Recorded recorded =
        record(
            () -> {
              try (Device device = Hal.openDevice("mock");
                  TimelineSemaphore done = device.createSemaphore(0);
                  DeviceBuffer buffer = device.allocate(100, BufferParams.DEVICE)) {
                Timepoint first = done.at(1);
                device.queue(0).upload(Fence.NONE, first, HostMemory.of(bytes), buffer, 0);
                device.queue(0).readback(first, done.at(2), buffer, 0, HostMemory.of(bytes));
                device
                    .queue(0)
                    .hostCall(
                        done.at(2),
                        done.at(3),
                        HostCall.Mode.BLOCKING,
                        context -> awaitWaiting(host)); // a value that is reached needs no wait
                done.await(3, DEADLINE);
              }
            });
    List<RecordedEvent> submissions = new ArrayList<>(recorded.of("Submission"));
    submissions.sort((a, b) -> Long.compare(a.getLong("operation"), b.getLong("operation")));
    assertEquals(
        List.of("upload", "readback", "host call"),
        submissions.stream().map(event -> event.getString("kind")).toList());
    assertEquals(
        List.of("to device 100 host", "to host 100 host"),
        recorded.of("Transfer").stream()
            .map(
                event ->
                    event.getString("direction")
                        + " "
                        + event.getLong("bytes")
                        + " "
                        + event.getString("path"))
            .sorted()
            .toList());
    assertEquals(1, recorded.of("HostCompletion").size());
    RecordedEvent wait = recorded.of("HostWait").get(0);
    assertEquals("reached", wait.getString("outcome"));
    assertEquals(3, wait.getLong("value"));
    assertEquals(Thread.currentThread().getName(), wait.getThread().getJavaName());
    assertEquals(100, recorded.of("Allocation").get(0).getLong("bytes"));
    assertEquals(0, recorded.of("Deallocation").get(0).getLong("total"));
    for (RecordedEvent event : recorded.of("Operation")) {
      assertEquals(null, event.getString("failure"), event::toString);
    }
  }

  @Test
  void recordsFailuresAndWaitsThatEndLate() throws Exception {
    Recorded recorded =
        record(
            () -> {
              try (Device device = Hal.openDevice("mock");
                  TimelineSemaphore gate = device.createSemaphore(0);
                  TimelineSemaphore done = device.createSemaphore(0)) {
                device.queue(0).barrier(gate.at(1), done.at(1));
                assertFalse(done.tryAwait(1, Duration.ofMillis(1)));
                gate.fail(new HalException(Status.ABORTED, "given up"));
                assertThrows(HalException.class, () -> done.await(1, DEADLINE));
              }
            });
    assertEquals("ABORTED", recorded.of("Operation").get(0).getString("failure"));
    assertEquals(
        List.of("late"),
        recorded.of("HostWait").stream()
            .map(event -> event.getString("outcome"))
            .filter(outcome -> !outcome.equals("ABORTED"))
            .toList());
    assertEquals(List.of(), recorded.of("Execution"), "executions of an operation that never ran");
  }

  /** No operation signals the first value, so a wait for it has no arrow. */
  @Test
  void aWaitForTheFirstValueIsNotRecorded() throws Exception {
    Recorded recorded =
        record(
            () -> {
              try (Device device = Hal.openDevice("mock");
                  TimelineSemaphore timeline = device.createSemaphore(5);
                  TimelineSemaphore done = device.createSemaphore(0)) {
                timeline.await(5, DEADLINE);
                device.queue(0).barrier(timeline.at(3), timeline.at(7));
                device.queue(0).barrier(Fence.of(timeline.at(5), done.at(0)), done.at(1));
                device.queue(0).barrier(Fence.of(timeline.at(5), timeline.at(6)), done.at(2));
                device.queue(0).barrier(timeline.at(0), done.at(3));
              }
            });
    Map<String, Integer> waits = new HashMap<>();
    List<Long> values = new ArrayList<>();
    for (RecordedEvent edge : recorded.of("TimelineEdge")) {
      if (!edge.getBoolean("isSignal")) {
        waits.merge(key(edge), 1, Integer::sum);
        values.add(edge.getLong("value"));
      }
    }
    assertEquals(List.of(6L), values);
    byOperation(recorded.of("Submission"))
        .forEach(
            (operation, event) ->
                assertEquals(
                    waits.getOrDefault(operation, 0), event.getInt("waits"), event::toString));
    assertEquals(List.of(), recorded.of("HostWait"));
  }

  /** The first event names every object, even those created before the recording began. */
  @Test
  void recordsTheNamesWithWhicheverEventComesFirst() throws Exception {
    String said = Child.java(folder, OneEvent.class.getName(), folder.toString());
    assertEquals("9 events, all named", said.strip());
  }

  /** Records events of one kind after the other, each on a new device. */
  static final class OneEvent {
    private static final List<String> NUMBERS = List.of("device", "queue", "kernel");

    private OneEvent() {}

    public static void main(String[] args) throws Exception {
      List<String> kinds =
          List.of(
              "Allocation", // the first one in this JVM: nothing else has started the recorder
              "Deallocation",
              "Submission",
              "TimelineEdge",
              "Operation",
              "Execution",
              "HostCompletion",
              "Transfer",
              "ExecutableLoad");
      for (String kind : kinds) {
        try (Device device = Hal.openDevice("mock")) {
          Recorded recorded =
              Recorded.of(
                  Path.of(args[0], kind + ".jfr"), List.of(kind, "Name"), () -> use(device));
          check(kind, recorded);
        }
      }
      System.out.println(kinds.size() + " events, all named");
    }

    private static void use(Device device) throws InterruptedException {
      try (TimelineSemaphore done = device.createSemaphore(0);
          DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
          Executable loaded =
              device.loadExecutable(ExecutableSource.ofResources(Pipeline.class, "kernels"))) {
        device.queue(0).upload(Fence.NONE, done.at(1), HostMemory.of(new byte[64]), buffer, 0);
        device.queue(0).hostCall(done.at(1), done.at(2), HostCall.Mode.BLOCKING, context -> {});
        done.await(2, DEADLINE);
      }
      device.close(); // some events are recorded a moment after the signal
    }

    private static void check(String kind, Recorded recorded) {
      List<RecordedEvent> events = recorded.of(kind);
      assertFalse(events.isEmpty(), () -> "no " + kind);
      Set<Long> named =
          recorded.of("Name").stream()
              .map(event -> event.getLong("number"))
              .collect(Collectors.toSet());
      for (RecordedEvent event : events) {
        for (String field : NUMBERS) {
          if (event.hasField(field) && event.getLong(field) != 0) {
            assertTrue(named.contains(event.getLong(field)), () -> field + " of " + event);
          }
        }
      }
    }
  }

  /** Fills, copies and fills again, under labels. */
  static void commands() throws InterruptedException {
    try (Device device = Hal.openDevice("mock");
        DeviceBuffer one = device.allocate(64, BufferParams.DEVICE);
        DeviceBuffer two = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(one, 0, 64, FillPattern.of8(1));
      commands.barrier();
      commands.label("move");
      commands.copy(one, 0, two, 0, 64);
      commands.barrier();
      commands.fill(one, 0, 32, FillPattern.of8(2));
      commands.label("");
      commands.fill(one, 32, 32, FillPattern.of8(3));
      commands.end();
      for (int use = 1; use <= 3; use++) {
        device.queue(0).execute(done.at(use - 1), done.at(use), commands);
      }
      done.await(3, DEADLINE);
    }
  }

  @Test
  void eachCommandOfACommandBufferHasItsTime() throws Exception {
    Recorded recorded =
        Recorded.of(
            folder.resolve("commands.jfr"),
            List.of("Submission", "Operation", "Execution", "CommandExecution", "Name"),
            EventsTest::commands);
    Map<String, RecordedEvent> executions = byOperation(recorded.of("Execution"));
    Map<String, List<RecordedEvent>> runs =
        recorded.of("CommandExecution").stream().collect(Collectors.groupingBy(EventsTest::key));
    assertEquals(executions.keySet(), runs.keySet());
    assertEquals(3, runs.size());
    runs.forEach(
        (key, all) -> {
          RecordedEvent whole = Objects.requireNonNull(executions.get(key));
          long error = whole.getDuration("error").toNanos();
          Instant free = began(whole).minusNanos(error);
          all.sort(Comparator.comparing(event -> event.getInt("command")));
          List<String> texts = new ArrayList<>();
          for (RecordedEvent event : all) {
            texts.add(
                event.getInt("command")
                    + " "
                    + event.getString("kind")
                    + " "
                    + event.getString("label"));
            error += event.getDuration("error").toNanos();
            Instant begin = began(event);
            assertFalse(begin.plusNanos(error).isBefore(free), () -> key + ": " + all);
            if (event.getInt("command") < 2) { // the others have no order
              free = begin.plus(event.getDuration("took")).minusNanos(error);
            }
          }
          assertEquals(List.of("0 fill null", "1 copy move", "2 fill move", "3 fill null"), texts);
        });
  }

  @Test
  void timesOfCommandsAreRecordedOnRequestOnly() throws Exception {
    assertEquals(List.of(), record(EventsTest::commands).of("CommandExecution"));
  }

  @Test
  void runsAndRecordsNothingWithoutTheModule() throws Exception {
    for (String management : new String[] {"", ",java.management"}) { // the bean needs it
      String[] line = {
        "--limit-modules",
        "java.base,java.logging,jdk.unsupported" + management,
        WithoutRecorder.class.getName()
      };
      assertEquals(
          (management.isEmpty() ? "no java.management, " : "java.management, ")
              + "no jdk.jfr, explained, "
              + STEPS,
          Child.java(folder, line).strip(),
          "what the program prints");
    }
  }

  /** A program for a Java without the flight recorder. */
  static final class WithoutRecorder {
    private WithoutRecorder() {}

    public static void main(String[] args) throws InterruptedException {
      web();
      for (String name : List.of("java.management", "jdk.jfr")) {
        boolean isThere = ModuleLayer.boot().findModule(name).isPresent();
        System.out.print((isThere ? "" : "no ") + name + ", ");
      }
      try (Device device = Hal.openDevice("mock")) {
        boolean isNamed = Hal.explain().contains("Device mock-0: no open operations");
        System.out.print(isNamed ? "explained, " : device + " is missing in: " + Hal.explain());
      }
      System.out.println(STEPS);
    }
  }
}
