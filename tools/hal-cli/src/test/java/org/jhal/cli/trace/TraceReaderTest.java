// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Traces of recordings of the mock. */
@Timeout(600)
class TraceReaderTest {
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  @TempDir private Path folder;

  private String convert(Path recording, Path json) throws Exception {
    Map<TraceFiles.Form, Path> outputs = new EnumMap<>(TraceFiles.Form.class);
    outputs.put(TraceFiles.Form.JSON, json);
    try (TraceOutputs opened = new TraceOutputs(outputs, null, recording)) {
      return opened.convert(recording, PictureTrace.WIDTH).get(0);
    }
  }

  @Test
  void eachWaitHasAnArrowFromItsSignal() throws Exception {
    Path made = folder.resolve("web.jfr");
    Recorded recorded = Recorded.of(made, EventsTest::web);
    long waits =
        recorded.of("TimelineEdge").stream().filter(edge -> !edge.getBoolean("isSignal")).count()
            + recorded.of("HostWait").size();
    Path json = folder.resolve("web.json");
    String line = convert(made, json);
    assertTrue(line.endsWith(": " + EventsTest.STEPS + " operations, " + waits + " arrows"), line);
    ChromeFormat trace = ChromeFormat.check(json);
    assertEquals(waits, trace.signals.size());
    assertTrue(trace.worstInversion() < 1_000, () -> "us: " + trace.worstInversion());
    long inWaits = trace.slices.stream().filter(it -> it.name().startsWith("wait for")).count();
    assertEquals(recorded.of("HostWait").size(), inWaits);
  }

  /**
   * As the host saw them, operations of a stream overlap: each is issued before the one that it
   * waits for is known to be over.
   */
  @Test
  void withoutTimesOfTheDeviceNoArrowLeadsBackInTime() throws Exception {
    Path made = folder.resolve("hosts.jfr");
    Recorded.of(
        made, List.of("Submission", "TimelineEdge", "Operation", "Name"), () -> Chain.run(500));
    Path json = folder.resolve("hosts.json");
    String line = convert(made, json);
    assertTrue(line.contains(": 500 operations, 499 arrows"), line);
    ChromeFormat trace = ChromeFormat.check(json);
    assertEquals(0, trace.worstInversion(), 0.001);
  }

  private ChromeFormat traceOf(String name, int arrows, Recorded.Program program) throws Exception {
    return traceOf(
        name,
        arrows,
        program,
        TraceSettings.EVENTS.stream()
            .map(event -> event.substring(TraceSettings.PREFIX.length()))
            .toList());
  }

  private ChromeFormat traceOf(
      String name, int arrows, Recorded.Program program, List<String> events) throws Exception {
    Path made = folder.resolve(name + ".jfr");
    Recorded.of(made, events, program);
    Path json = folder.resolve(name + ".json");
    String line = convert(made, json);
    ChromeFormat trace = ChromeFormat.check(json);
    assertEquals(arrows, trace.signals.size(), () -> line + " " + trace.signals + trace.waits);
    assertEquals(0, trace.worstInversion(), 0.001);
    return trace;
  }

  /** Polls: a wait of the library would add an arrow. */
  private static void spinUntil(TimelineSemaphore timeline, long value) {
    long start = System.nanoTime();
    while (timeline.value() < value) {
      assertTrue(
          System.nanoTime() - start < DEADLINE.toNanos(),
          () -> "waited " + DEADLINE + " for " + timeline + " to reach " + value);
      Thread.onSpinWait();
    }
  }

  @Test
  void commandsAreSlicesWithinTheirOperation() throws Exception {
    List<String> events =
        List.of("Submission", "TimelineEdge", "Operation", "Execution", "CommandExecution", "Name");
    ChromeFormat trace = traceOf("commands", 2, EventsTest::commands, events);
    List<String> names = trace.slices.stream().map(ChromeFormat.Slice::name).toList();
    for (String wanted : List.of("fill", "move: copy", "move: fill")) {
      assertTrue(names.contains(wanted), () -> wanted + " in " + names);
    }
    assertEquals(3, names.stream().filter("move: copy"::equals).count(), names::toString);
    TraceSummary summary = TraceFiles.summary(folder.resolve("commands.jfr"));
    assertEquals(
        Set.of("fill", "move: copy", "move: fill"),
        summary.commands().stream().map(TraceSummary.Work::name).collect(Collectors.toSet()));
    assertEquals(12, summary.commands().stream().mapToLong(TraceSummary.Work::count).sum());
    assertEquals(3, summary.operations());
  }

  @Test
  void theFirstStepOfASequenceHasNoArrow() throws Exception {
    try (Device device = Hal.openDevice("mock");
        Sequence steps = device.createSequence()) {
      ChromeFormat trace =
          traceOf(
              "steps",
              1,
              () -> {
                for (int i = 0; i < 2; i++) {
                  steps.step((waits, signals) -> device.queue(0).barrier(waits, signals));
                }
                device.close(); // waits for events that are recorded after the signals
              });
      assertTrue(trace.signals.values().iterator().next().name().endsWith(" = 1"));
    }
  }

  /** The first value of the timeline is in no event. */
  @Test
  void aValueThatWasReachedBeforeHasNoArrow() throws Exception {
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore timeline = device.createSemaphore(5)) {
      traceOf(
          "reached",
          0,
          () -> {
            device.queue(0).barrier(timeline.at(3), timeline.at(7));
            spinUntil(timeline, 7);
            timeline.signal(8);
            device.close();
          });
    }
  }

  /** Even though an earlier operation signals a larger value. */
  @Test
  void aWaitForTheFirstValueHasNoArrow() throws Exception {
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore timeline = device.createSemaphore(5);
        TimelineSemaphore done = device.createSemaphore(0)) {
      ChromeFormat trace =
          traceOf(
              "first",
              1,
              () -> {
                device.queue(0).barrier(Fence.NONE, timeline.at(7));
                spinUntil(timeline, 7);
                device.queue(0).barrier(timeline.at(3), done.at(1));
                device.queue(0).barrier(Fence.of(timeline.at(5), timeline.at(6)), done.at(2));
                spinUntil(done, 2);
                device.close();
              });
      // The one for 6.
      assertTrue(trace.signals.values().iterator().next().name().endsWith(" = 7"));
    }
  }

  /** Not even from the operation that would have signalled it. */
  @Test
  void aFailedWaitHasNoArrow() throws Exception {
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore timeline = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      traceOf(
          "failed",
          0,
          () -> {
            device
                .queue(0)
                .hostCall(
                    Fence.NONE,
                    timeline.at(2),
                    HostCall.Mode.BLOCKING,
                    context -> {
                      throw new HalException(Status.ABORTED, "given up");
                    });
            device.queue(0).barrier(timeline.at(2), done.at(1));
            assertThrows(HalException.class, () -> done.await(1, DEADLINE));
            assertThrows(HalException.class, () -> timeline.await(1, DEADLINE));
            device.close();
          });
    }
  }

  /** Even though the operation that would signal the value begins before the wait is over. */
  @Test
  void aWaitOfAThreadThatFailsOrEndsLateHasNoArrow() throws Exception {
    Thread host = Thread.currentThread();
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore late = device.createSemaphore(0);
        TimelineSemaphore failing = device.createSemaphore(0)) {
      traceOf(
          "late",
          0,
          () -> {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch isOver = new CountDownLatch(1);
            device
                .queue(0)
                .hostCall(
                    Fence.NONE,
                    Fence.of(late.at(1), failing.at(1)),
                    HostCall.Mode.BLOCKING,
                    context -> {
                      begun.countDown();
                      assertTrue(isOver.await(1, TimeUnit.MINUTES), "waited for the late wait");
                      EventsTest.awaitWaiting(host);
                      failing.fail(new HalException(Status.ABORTED, "given up"));
                    });
            assertTrue(begun.await(1, TimeUnit.MINUTES), "waited for the host call");
            assertFalse(late.tryAwait(1, Duration.ofMillis(1)));
            isOver.countDown();
            assertThrows(HalException.class, () -> failing.await(1, DEADLINE));
            device.close();
          });
    }
  }

  /** A host call that does not block signals before it begins, or while it runs. */
  @Test
  void noArrowOutOfAHostCallLeadsBackInTime() throws Exception {
    for (HostCall.Mode mode : HostCall.Mode.values()) {
      try (Device device = Hal.openDevice("mock");
          TimelineSemaphore called = device.createSemaphore(0);
          TimelineSemaphore done = device.createSemaphore(0)) {
        traceOf(
            mode.toString(),
            20,
            () -> {
              for (int i = 1; i <= 20; i++) {
                CountDownLatch isOver = new CountDownLatch(1);
                boolean blocks = mode == HostCall.Mode.BLOCKING;
                device
                    .queue(0)
                    .hostCall(
                        Fence.NONE,
                        called.at(i),
                        mode,
                        context ->
                            assertTrue(blocks || isOver.await(1, TimeUnit.MINUTES), "no barrier"));
                device.queue(0).barrier(called.at(i), done.at(i));
                spinUntil(done, i);
                isOver.countDown();
              }
              device.close();
            });
      }
    }
  }

  /** Its bar ends at the end of the recording. */
  @Test
  void showsAHangingOperationAsUnfinished() throws Exception {
    Path made = folder.resolve("hangs.jfr");
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      Recorded.of(
          made,
          () -> {
            device.queue(0).barrier(gate.at(1), done.at(1));
            assertFalse(done.tryAwait(1, Duration.ofMillis(100)));
          });
      gate.fail(new HalException(Status.CANCELLED, "the test is over"));
    }
    Path json = folder.resolve("hangs.json");
    String line = convert(made, json);
    assertTrue(line.contains("1 operations of which a part is not in the recording"), line);
    ChromeFormat trace = ChromeFormat.check(json);
    ChromeFormat.Slice hanging =
        trace.slices.stream()
            .filter(it -> it.name().equals("barrier, unfinished"))
            .findFirst()
            .orElseThrow(() -> new AssertionError(trace.slices));
    assertTrue(hanging.end() - hanging.begin() > 90_000, hanging::toString);
    double last = trace.slices.stream().mapToDouble(ChromeFormat.Slice::end).max().orElseThrow();
    assertEquals(last, hanging.end(), 0.001);
  }

  /** In each copy, the numbers of operations, queues and timelines begin at 1. */
  @Test
  void distinguishesCopiesOfTheLibraryInOneProcess() throws Exception {
    Path made = folder.resolve("copies.jfr");
    Recorded.of(
        made,
        () -> {
          for (int i = 0; i < 2; i++) {
            runInACopy();
          }
        });
    Path json = folder.resolve("copies.json");
    String line = convert(made, json);
    assertTrue(line.contains(": " + 2 * EventsTest.STEPS + " operations, "), line);
    ChromeFormat trace = ChromeFormat.check(json);
    assertTrue(trace.worstInversion() < 1_000, () -> "us: " + trace.worstInversion());
    long tracks =
        trace.trackNames.values().stream().filter(name -> name.equals("mock-0-q0")).count();
    assertEquals(2, tracks, () -> "tracks: " + trace.trackNames);
  }

  private static void runInACopy() throws Exception {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classPath.add(Path.of(entry).toUri().toURL());
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader copy =
        new URLClassLoader(
            "copy", classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(copy);
      ((Runnable) copy.loadClass(Web.class.getName()).getDeclaredConstructor().newInstance()).run();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  /** Runs {@link EventsTest#web} in another class loader. */
  public static final class Web implements Runnable {
    @Override
    public void run() {
      try {
        EventsTest.web();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void signalFrom(ThreadFactory factory, int threads) throws InterruptedException {
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= threads; i++) {
        long value = i;
        Thread thread = factory.newThread(() -> done.signal(value));
        thread.start();
        thread.join();
      }
    }
  }

  private ChromeFormat traceOfThreads(ThreadFactory factory, int threads) throws Exception {
    Path made = folder.resolve("threads.jfr");
    Recorded.of(made, () -> signalFrom(factory, threads));
    Path json = folder.resolve("threads.json");
    String line = convert(made, json);
    ChromeFormat trace = ChromeFormat.check(json);
    assertEquals(threads, trace.slices.size(), line);
    return trace;
  }

  /** A program may start a thread for each of its tasks. */
  @Test
  void limitsTheTracksOfAnyNumberOfThreads() throws Exception {
    AtomicInteger count = new AtomicInteger();
    ChromeFormat trace =
        traceOfThreads(task -> new Thread(task, "task " + count.incrementAndGet()), 700);
    int tracks = trace.trackNames.size();
    assertTrue(tracks > 200 && tracks < 220, () -> tracks + " tracks");
    assertTrue(trace.trackNames.containsValue("other threads"), trace.trackNames::toString);
  }

  /** They have no names, and there may be millions. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
  void virtualThreadsShareSeparateTracks() throws Exception {
    // By reflection, since this is compiled for Java 17.
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    ThreadFactory virtual =
        (ThreadFactory)
            Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    ChromeFormat trace = traceOfThreads(virtual, 50);
    assertTrue(
        trace.trackNames.values().stream().allMatch(name -> name.startsWith("virtual threads")),
        trace.trackNames::toString);
  }

  /** A window far smaller than the recording is enough for signals and waits that are near. */
  @Test
  void aSmallWindowIsEnoughForAChain() throws Exception {
    Path made = folder.resolve("chain.jfr");
    Recorded.of(
        made,
        () -> {
          for (int i = 0; i < 10; i++) {
            Chain.run(500); // so that no more are open at once than the window has
          }
        });
    Path json = folder.resolve("chain.json");
    TraceReader.Summary found;
    try (var writer = Files.newBufferedWriter(json)) {
      found = new TraceReader(new ChromeTrace(writer), 1_500).read(made);
    }
    assertEquals(5_000, found.operations());
    ChromeFormat trace = ChromeFormat.check(json);
    assertEquals(found.arrows(), trace.signals.size());
    // From each operation to the next, and perhaps to the host. The events of a thread that was
    // delayed may be anywhere in the file, though: a few dozen each time.
    assertTrue(found.arrows() + found.withoutArrow() >= 10 * 499, found::toString);
    assertTrue(found.arrows() > 10 * 400, found::toString);
  }

  /**
   * Far more operations are open at once than are remembered. The missing parts are all counted.
   * Half of the operations wait for a signal that is forgotten in any case: among the events of the
   * enqueueing thread, it is further back than the memory reaches.
   */
  @Test
  @Tag("long")
  void countsForgottenWaitsAndOperations() throws Exception {
    Path made = folder.resolve("chain.jfr");
    int half = 2_500;
    Recorded recorded = Recorded.of(made, () -> enqueueFarFromSignals(half));
    long waits =
        recorded.of("TimelineEdge").stream().filter(edge -> !edge.getBoolean("isSignal")).count()
            + recorded.of("HostWait").size();
    Path json = folder.resolve("chain.json");
    TraceReader.Summary found;
    try (var writer = Files.newBufferedWriter(json)) {
      found = new TraceReader(new ChromeTrace(writer), 16).read(made);
    }
    ChromeFormat trace = ChromeFormat.check(json);
    assertTrue(found.operations() >= 2 * half, found::toString);
    assertTrue(found.unfinished() > 0, found::toString);
    assertTrue(found.withoutArrow() > half / 2, found::toString);
    assertTrue(found.arrows() > 0, found::toString);
    assertEquals(found.arrows(), trace.signals.size());
    assertTrue(found.arrows() + found.withoutArrow() <= waits, found + " of " + waits);
  }

  /** A chain; each operation of its second half also waits for one of the first half. */
  private static void enqueueFarFromSignals(int half) throws InterruptedException {
    try (Device device = Hal.openDevice("mock");
        TimelineSemaphore chain = device.createSemaphore(0);
        TimelineSemaphore far = device.createSemaphore(0)) {
      for (int i = 1; i <= half; i++) {
        device.queue(0).barrier(chain.at(i - 1), Fence.of(chain.at(i), far.at(i)));
      }
      for (int i = 1; i <= half; i++) {
        device.queue(0).barrier(Fence.of(chain.at(half + i - 1), far.at(i)), chain.at(half + i));
      }
      chain.await(2L * half, DEADLINE);
    }
  }

  @Test
  @Tag("long")
  void manyOperationsNeedLittleMemory() throws Exception {
    recordAndConvert(60_000, "-Xmx96m");
  }

  @Test
  @Tag("exhaustive")
  void twoMillionOperationsNeedTheSameMemory() throws Exception {
    recordAndConvert(2_000_000, "-Xmx384m");
  }

  private void recordAndConvert(int operations, String heap) throws Exception {
    Path made = folder.resolve("many.jfr");
    Path json = folder.resolve("many.json");
    String said = Child.java(folder, Chain.class.getName(), made.toString(), "" + operations);
    assertEquals("recorded", said.strip());
    String line =
        Child.java(folder, heap, Convert.class.getName(), made.toString(), json.toString());
    assertTrue(line.contains(": " + operations + " operations, "), line);
    assertTrue(Files.size(json) > 100L * operations, () -> "a trace of " + json);
  }

  /** Records a chain of barriers. */
  static final class Chain {
    private static final int IN_FLIGHT = 1_000;

    private Chain() {}

    public static void main(String[] args) throws Exception {
      int operations = Integer.parseInt(args[1]);
      try (var recording = TraceFiles.newRecording(DiskSpace.USUAL, false)) {
        recording.start();
        run(operations);
        recording.stop();
        recording.dump(Path.of(args[0]));
      }
      System.out.println("recorded");
    }

    static void run(int operations) throws InterruptedException {
      try (Device device = Hal.openDevice("mock");
          TimelineSemaphore done = device.createSemaphore(0)) {
        for (int i = 1; i <= operations; i++) {
          device.queue(0).barrier(i == 1 ? Fence.NONE : done.at(i - 1), done.at(i));
          if (i > IN_FLIGHT) {
            done.await(i - IN_FLIGHT, DEADLINE);
          }
        }
        done.await(operations, DEADLINE);
      }
    }
  }

  /** Makes a trace of a recording. */
  static final class Convert {
    private Convert() {}

    public static void main(String[] args) throws Exception {
      Map<TraceFiles.Form, Path> outputs = new EnumMap<>(TraceFiles.Form.class);
      outputs.put(TraceFiles.Form.JSON, Path.of(args[1]));
      try (TraceOutputs opened = new TraceOutputs(outputs, null, null)) {
        System.out.println(opened.convert(Path.of(args[0]), PictureTrace.WIDTH).get(0));
      }
    }
  }
}
