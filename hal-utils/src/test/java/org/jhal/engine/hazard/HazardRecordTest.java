// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HostMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What counts as an order, and what is kept of it. */
class HazardRecordTest {
  private final List<String> reports = new ArrayList<>();
  private final QueueOrder queue = new QueueOrder("q");
  private final TouchedMemory memory = new TouchedMemory("a buffer");
  private final TimelineOrder line = new TimelineOrder("semaphore#1");
  private final TimelineOrder other = new TimelineOrder("semaphore#2");
  private long numbers;

  @BeforeEach
  void open() {
    HazardRecord.open(reports::add);
  }

  @AfterEach
  void close() {
    HazardRecord.close();
  }

  private static HazardRecord record() {
    HazardRecord record = HazardRecord.current();
    if (record == null) {
      throw new AssertionError("no record");
    }
    return record;
  }

  /** An operation that waits for and signals at most one value each; 0 for none. */
  private RecordedOperation operation(
      TimelineOrder waited, long wait, TimelineOrder signalled, long signal) {
    RecordedOperation made =
        new RecordedOperation(queue, "work " + ++numbers, null, reports::add, null);
    if (wait > 0) {
      made.waitsFor(waited, wait, false);
    }
    if (signal > 0) {
      made.signals(new TimelineOrder[] {signalled}, new long[] {signal});
    }
    made.setNumber(numbers);
    return made;
  }

  /** Adds one that uses the bytes; returns how many hazards were found. */
  private int add(RecordedOperation operation, long from, long to, Use use) {
    operation.touches(memory, from, to, use, "");
    List<Hazard> found = record().add(operation);
    record().report(found);
    return found.size();
  }

  @Test
  void aPathOfWaitsIsAnOrder() {
    assertEquals(0, add(operation(line, 0, line, 1), 0, 8, Use.WRITE));
    record().add(operation(line, 1, other, 5));
    assertEquals(0, add(operation(other, 5, line, 2), 0, 8, Use.WRITE));
    assertEquals(1, add(operation(line, 1, other, 6), 0, 8, Use.READ));
  }

  @Test
  void rangesThatOnlyMeetDoNotOverlap() {
    add(operation(line, 0, line, 1), 8, 16, Use.WRITE);
    assertEquals(0, add(operation(line, 0, other, 1), 0, 8, Use.WRITE));
    assertEquals(0, add(operation(line, 0, other, 2), 16, 24, Use.WRITE));
    assertEquals(2, add(operation(line, 0, other, 3), 15, 17, Use.READ), "one for each writer");
  }

  @Test
  void aValueOrdersWhatAllItsSignalsFollow() {
    add(operation(line, 0, line, 1), 0, 8, Use.WRITE);
    record().add(operation(other, 0, line, 3));
    assertEquals(1, add(operation(line, 1, other, 1), 0, 8, Use.WRITE), "3 may come first");
  }

  /** To add the wait that the later one has already would not help. */
  @Test
  void aWaitThatIsThereIsNotRecommended() {
    add(operation(line, 0, line, 1), 0, 8, Use.WRITE);
    record().add(operation(other, 0, line, 2));
    assertEquals(1, add(operation(line, 1, other, 1), 0, 8, Use.READ), "2 may come first");
    assertTrue(
        reports
            .get(0)
            .endsWith(
                "operation 3 waits for semaphore#1, but another signal may raise that to the value"
                    + " first; have each operation that signals it wait for the value before its"
                    + " own"),
        reports::toString);
  }

  @Test
  void aWaitThatComesFirstIsPlacedWithItsSignal() {
    assertEquals(0, add(operation(line, 1, line, 2), 0, 8, Use.WRITE));
    assertEquals(0, add(operation(other, 0, other, 1), 0, 8, Use.WRITE), "the first is not placed");
    record().hostSignals(line, 1);
    assertEquals(1, reports.size(), reports::toString);
  }

  @Test
  void waitsEndUpToTheValueInWhicheverOrderTheyCame() {
    for (long value : new long[] {5, 2, 9, 1, 8, 6}) {
      add(operation(line, value, other, value), 8 * value, 8 * value + 8, Use.WRITE);
    }
    record().hostSignals(line, 5);
    assertEquals(3, add(operation(line, 0, other, 20), 0, 80, Use.READ), "those for 1, 2 and 5");
    record().hostSignals(line, 9);
    assertEquals(3, add(operation(line, 0, other, 21), 0, 80, Use.READ), "those for 6, 8 and 9");
  }

  @Test
  void whatTheHostHasSeenComesBefore() {
    add(operation(line, 0, line, 1), 0, 8, Use.WRITE);
    record().hostSees(line, 1);
    assertEquals(0, add(operation(line, 0, line, 2), 0, 8, Use.WRITE));
    queue.noneOpenUpTo(numbers);
    assertEquals(0, add(operation(line, 0, line, 3), 0, 8, Use.WRITE));
  }

  @Test
  void whatTheHostHasSeenOfOneLineSaysNothingOfAnother() {
    add(operation(line, 0, line, 1), 0, 8, Use.WRITE);
    add(operation(other, 0, other, 1), 8, 16, Use.WRITE);
    record().hostSees(other, 1);
    assertEquals(0, add(operation(line, 0, other, 2), 8, 16, Use.READ));
    assertEquals(1, add(operation(line, 0, other, 3), 0, 8, Use.READ));
  }

  @Test
  void whatHasFailedCountsUntilTheHostHasSeenThat() {
    RecordedOperation failed = operation(line, 0, line, 1);
    add(failed, 0, 8, Use.WRITE);
    record().failed(failed);
    assertEquals(1, add(operation(line, 0, other, 1), 0, 8, Use.READ), "not seen");
    record().hostSeesFailure(line);
    assertEquals(0, add(operation(line, 0, other, 2), 0, 8, Use.READ));
  }

  @Test
  void whatHasFailedBeforeItsWaitsEndedNeverRuns() {
    RecordedOperation failed = operation(line, 1, other, 1);
    add(failed, 0, 8, Use.WRITE);
    record().failed(failed);
    record().hostSignals(line, 1);
    assertEquals(0, add(operation(line, 0, line, 2), 0, 8, Use.WRITE));
    assertEquals(0, add(operation(other, 1, line, 3), 0, 8, Use.WRITE), "nothing signals it");
  }

  @Test
  void aFailureThatTheHostHasSeenSaysWhatHasFailedBeforeIt() {
    RecordedOperation sound = operation(line, 0, line, 1);
    RecordedOperation failed = operation(line, 0, line, 2);
    RecordedOperation consumer = operation(line, 2, other, 1);
    add(sound, 0, 8, Use.WRITE);
    add(failed, 8, 16, Use.WRITE);
    record().add(consumer);
    record().failed(failed);
    record().failed(consumer);
    record().hostSeesFailure(other);
    assertEquals(0, add(operation(line, 0, other, 2), 8, 16, Use.READ));
    assertEquals(1, add(operation(line, 0, other, 3), 0, 8, Use.READ), "it may still run");
  }

  @Test
  void aLongLineForgetsItsOldestValuesWithoutAFalseReport() {
    for (int i = 1; i <= 200_000; i++) {
      assertEquals(0, add(operation(line, i - 1, line, i), 0, 8, Use.WRITE));
    }
    assertEquals(0, add(operation(line, 200_000, other, 1), 0, 8, Use.WRITE));
    assertEquals(1, add(operation(line, 199_999, other, 2), 0, 8, Use.WRITE), "199999 is kept");
  }

  @Test
  void aPlaceIsLoggedOnceAndCountedAtTheEnd() {
    for (int i = 0; i < 3; i++) {
      RecordedOperation same = new RecordedOperation(queue, "fill", null, reports::add, null);
      add(same, 0, 8, Use.WRITE);
    }
    assertEquals(1, reports.size(), reports::toString);
  }

  /** The thread that compares is slow: it has looked at the source, and not yet judged it. */
  @Test
  void aReadbackWhoseEndIsSeenWhileTheSourceIsComparedHasWrittenIt() {
    byte[] bytes = new byte[64];
    HostMemory source = HostMemory.of(bytes);
    HostMemory.Borrow borrow = source.borrow();
    RecordedOperation upload = operation(line, 0, line, 1);
    record().borrow(upload, source, Use.READ);
    record().add(upload);
    record().sourceBegins(upload, source);
    RecordedOperation readback = operation(line, 1, line, 2);
    record().borrow(readback, HostMemory.of(bytes), Use.WRITE);
    record().report(record().add(readback));
    bytes[0] = 1;
    record().hostSees(line, 2);
    record().judgeSource(upload, source, borrow, SourceDigest.of(source));
    assertEquals(List.of(), reports);
  }

  @Test
  void aSourceThatTheProgramChangesIsReportedAlsoWhenTheEndIsSeen() {
    byte[] bytes = new byte[64];
    HostMemory source = HostMemory.of(bytes);
    HostMemory.Borrow borrow = source.borrow();
    RecordedOperation upload = operation(line, 0, line, 1);
    record().borrow(upload, source, Use.READ);
    record().add(upload);
    record().sourceBegins(upload, source);
    bytes[0] = 1;
    record().hostSees(line, 1);
    record().sourceEnds(upload, source, borrow);
    assertEquals(1, reports.size(), reports::toString);
  }
}
