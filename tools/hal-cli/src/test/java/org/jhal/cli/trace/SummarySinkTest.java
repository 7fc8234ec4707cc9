// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.cli.trace.TraceSink.Origin;
import org.jhal.cli.trace.TraceSink.Outcome;
import org.jhal.cli.trace.TraceSink.Point;
import org.jhal.cli.trace.TraceSink.Span;
import org.jhal.cli.trace.TraceSink.Track;
import org.jhal.cli.trace.TraceSummary.Place;
import org.jhal.cli.trace.TraceSummary.Segment;
import org.jhal.cli.trace.TraceSummary.Wait;
import org.jhal.cli.trace.TraceSummary.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Summaries of traces whose numbers are known. Times are in a unit of their own. */
@Timeout(120)
class SummarySinkTest {
  private static final Track MAIN = new Track(1, "host", "main");
  private static final Track OTHER = new Track(2, "host", "other");
  private static final Track QUEUE = new Track(3, "mock-0", "q0");

  @TempDir private Path folder;

  private final SummarySink sink = new SummarySink(1_000);

  /** An operation on queue 1 or 2 of one device, measured on the device. */
  private void ran(int queue, int number, String name, long enqueued, long begin, long end) {
    add(sink, queue, number, name, enqueued, begin, end, true, Outcome.FINISHED);
  }

  private static void add(
      SummarySink sink,
      int queue,
      int number,
      String name,
      long enqueued,
      long begin,
      long end,
      boolean isTimed,
      Outcome outcome) {
    sink.operation(
        new TraceSink.Operation(
            new Origin(queue, number),
            "mock-0",
            "q" + queue,
            name,
            "dispatch",
            -1,
            "main",
            enqueued,
            new Span(begin, end),
            null,
            isTimed,
            end,
            outcome));
  }

  private void arrow(Origin from, Track fromTrack, long time, Origin to, Track toTrack, long wait) {
    sink.arrow(from, new Point(fromTrack, time - 1), to, new Point(toTrack, wait), "t = 1");
  }

  private TraceSummary end() {
    sink.end();
    return sink.summary();
  }

  private static List<String> names(TraceSummary summary) {
    return summary.path().segments().stream().map(Segment::name).toList();
  }

  @Test
  void sumsWorkUpAndTakesTheUnionOfIntervals() {
    ran(1, 1, "a", 0, 10, 30);
    ran(1, 2, "a", 0, 20, 50); // overlaps
    ran(2, 1, "b", 0, 80, 110);
    TraceSummary found = end();
    assertEquals(100, found.span());
    assertEquals(
        List.of(
            new Work("a", "dispatch", 2, 0, 0, 50, 25, 30, -1),
            new Work("b", "dispatch", 1, 0, 0, 30, 30, 30, -1)),
        found.work());
    assertEquals(
        List.of(
            new Place("mock-0", "", 3, 70, 30),
            new Place("mock-0", "q1", 2, 40, 60),
            new Place("mock-0", "q2", 1, 30, 70)),
        found.places());
    assertEquals(List.of(), found.limits());
  }

  /** Queue 2 waits for queue 1, and its second operation only for the first one. */
  @Test
  void thePathLeadsThroughSignalsAndTheOrderOfAQueue() {
    ran(1, 1, "long", 2, 10, 60);
    ran(1, 2, "aside", 3, 60, 65);
    ran(2, 1, "next", 4, 64, 80);
    ran(2, 2, "last", 5, 80, 100);
    arrow(new Origin(1, 1), QUEUE, 60, new Origin(2, 1), QUEUE, 64);
    TraceSummary found = end();
    assertEquals(List.of("thread main", "long", "next", "last"), names(found));
    assertEquals(98, found.path().took());
    assertEquals(86, found.path().ran());
    assertEquals(0, found.path().onHost()); // the trace begins with the submission
    assertEquals(8 + 4, found.path().between());
    assertTrue(found.path().isWhole());
    Wait longest = found.waits().get(0);
    assertEquals(
        new Wait("last", "q2", 75, "next (operation 1 of q2), before it in its queue", "reached"),
        longest);
    assertEquals(
        new Wait("next", "q2", 60, "long (operation 1 of q1)", "reached"), found.waits().get(1));
  }

  @Test
  void thePathLeadsThroughAThreadThatWaitedAndThenSubmitted() {
    ran(1, 1, "first", 0, 5, 40);
    sink.slice(MAIN, "wait for t = 1", "wait", 1, 45, Map.of("outcome", "reached"));
    arrow(new Origin(1, 1), QUEUE, 40, TraceSink.HOST, MAIN, 44);
    ran(1, 2, "second", 70, 72, 90);
    TraceSummary found = end();
    assertEquals(
        List.of(
            new Segment("thread main", "host", -5, 1, 0, 0),
            new Segment("first", "q1", 0, 1, 35, 5),
            new Segment("thread main", "host", 40, 1, 25, 5),
            new Segment("second", "q1", 67, 1, 18, 2)),
        found.path().segments());
    assertEquals(90, found.path().took());
    assertEquals(
        new Wait("thread main", "host", 44, "first (operation 1 of q1)", "reached"),
        found.waits().get(0));
  }

  @Test
  void aValueSignalledByAThreadLeadsToThatThread() {
    ran(1, 1, "held", 0, 50, 60);
    sink.slice(OTHER, "signal t = 1", "signal", 47, 48, Map.of());
    arrow(TraceSink.HOST, OTHER, 48, new Origin(1, 1), QUEUE, 50);
    TraceSummary found = end();
    assertEquals(List.of("thread other", "held"), names(found));
    assertEquals(48, found.path().onHost());
    assertEquals("thread other", found.waits().get(0).forWhom());
  }

  @Test
  void failedAndUnfinishedOperationsAreCountedApart() {
    ran(1, 1, "a", 0, 0, 10);
    add(sink, 1, 2, "a", 0, 10, 40, true, Outcome.FAILED);
    add(sink, 1, 3, "a", 5, 5, 90, false, Outcome.UNFINISHED);
    TraceSummary found = end();
    assertEquals(List.of(new Work("a", "dispatch", 3, 1, 1, 10, 10, 10, -1)), found.work());
    assertEquals(1, found.failed());
    assertEquals(1, found.unfinished());
    assertEquals(0, found.hostTimed());
    assertEquals(40, found.places().get(0).busy());
    assertEquals(new Wait("a", "q1", 85, "an unknown signal", "unfinished"), found.waits().get(0));
  }

  /** Each is issued before the one before it is known to be over. */
  @Test
  void withoutTimesOfTheDeviceBarsOfThePathDoNotOverlap() {
    for (int i = 1; i <= 3; i++) {
      add(sink, 1, i, "step", i, i, 100L * i, false, Outcome.FINISHED);
    }
    TraceSummary found = end();
    assertEquals(3, found.hostTimed());
    assertEquals(
        new Segment("step", "q1", 0, 3, 299, 0),
        found.path().segments().get(found.path().segments().size() - 1));
  }

  @Test
  void rememberingLittleCutsThePathAndSaysSo() {
    SummarySink small = new SummarySink(4);
    for (int i = 1; i <= 100; i++) {
      add(small, 1, i, "step", 0, 20L * i, 20L * i + 10, true, Outcome.FINISHED);
    }
    small.end();
    TraceSummary found = small.summary();
    assertEquals(100, found.operations());
    assertEquals(1_000, found.places().get(0).busy());
    assertEquals(4, found.path().segments().get(1).count());
    assertEquals(1, found.limits().size(), found.limits()::toString);
    assertTrue(found.limits().get(0).contains("only the last 4"), found.limits()::toString);
    assertTrue(String.join("\n", SummaryText.lines(found)).contains("Incomplete: only the last 4"));
  }

  /** They may have been for operations before, so the path does not blame the thread. */
  @Test
  void thePathEndsWhereWaitsOfThreadsAreForgotten() {
    SummarySink small = new SummarySink(2);
    for (int i = 0; i < 5; i++) {
      small.slice(MAIN, "wait for t = 1", "wait", 10 * i, 10 * i + 9, Map.of("outcome", "reached"));
    }
    add(small, 1, 1, "first", 0, 1, 2, true, Outcome.FINISHED);
    add(small, 1, 2, "last", 50, 52, 60, true, Outcome.FINISHED);
    small.end();
    TraceSummary.Path path = small.summary().path();
    assertFalse(path.isWhole());
    assertEquals(60 - 29, path.took(), path::toString); // the end of the last forgotten wait
    assertEquals(
        List.of(
            "thread main, waiting for an unknown signal",
            "thread main",
            "thread main, waiting for an unknown signal",
            "thread main",
            "last"),
        path.segments().stream()
            .map(Segment::name)
            .toList()
            .subList(path.segments().size() - 5, path.segments().size()));
  }

  @Test
  void keepsTheLongestWaitOfEachKernelOnEachQueue() {
    for (int i = 1; i <= 20; i++) {
      ran(1, i, "often", 100 * i, 100 * i + i, 100 * i + i + 1);
    }
    ran(2, 1, "once", 50, 60, 61);
    List<Wait> waits = end().waits();
    assertEquals(List.of("often", "once"), waits.stream().map(Wait::who).toList());
    assertEquals(20, waits.get(0).took());
  }

  @Test
  void anIntervalBeforeTheRememberedOnesIsNotCountedTwice() {
    Intervals union = new Intervals(2);
    for (int i = 0; i < 4; i++) {
      union.add(10 * i, 10 * i + 4);
    }
    assertTrue(union.isExact());
    union.add(0, 33); // 0 to 14 is not remembered, 14 to 20 and 24 to 30 are new
    assertEquals(4 + 4 + 20, union.length());
    assertFalse(union.isExact());
  }

  @Test
  void aRunOnTheMockIsSummedUp() throws Exception {
    Path made = folder.resolve("web.jfr");
    Recorded.of(made, EventsTest::web);
    TraceSummary found = TraceFiles.summary(made);
    assertEquals(EventsTest.STEPS, found.operations());
    assertEquals(
        EventsTest.STEPS, found.work().stream().mapToLong(Work::count).sum(), found::toString);
    assertEquals("fill", found.work().get(0).name());
    assertEquals(6, found.places().size(), "two devices with two queues each");
    // Each step waits for the one before it, and the first one for the thread.
    long steps =
        found.path().segments().stream()
            .filter(it -> !it.where().equals("host"))
            .mapToLong(Segment::count)
            .sum();
    assertEquals(EventsTest.STEPS, steps, found.path()::toString);
    assertTrue(found.path().isWhole());
    assertEquals(
        found.path().took(),
        found.path().ran() + found.path().onHost() + found.path().between(),
        found.path()::toString);
    String text = String.join("\n", SummaryText.lines(found));
    assertTrue(text.contains("Critical path: "), text);
    assertTrue(SummaryJson.of(found).contains("\"forWhom\""));
  }
}
