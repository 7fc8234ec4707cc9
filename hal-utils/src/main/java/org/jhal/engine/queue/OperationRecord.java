// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.hazard.Hazard;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.ProgramLine;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.TimelineOrder;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * One operation's entry in the record of hazards. It is added before others can see the operation,
 * so that its signals are recorded before anybody sees them, and reported once the operation has
 * its number and before it can be issued, so that it can fail.
 */
final class OperationRecord {
  private final HazardRecord record;
  private final RecordedOperation recorded;
  private final List<Hazard> hazards;

  private OperationRecord(HazardRecord record, RecordedOperation recorded, List<Hazard> hazards) {
    this.record = record;
    this.recorded = recorded;
    this.hazards = hazards;
  }

  /** Records an operation; returns null if hazards are not looked for. */
  static @Nullable OperationRecord of(Operation<?> operation) {
    HazardRecord record = HazardRecord.current();
    return record == null || operation.servesCopy ? null : add(record, operation);
  }

  private static OperationRecord add(HazardRecord record, Operation<?> operation) {
    RecordedOperation recorded =
        new RecordedOperation(
            operation.queue.order,
            operation.work.describe(),
            ProgramLine.ofCaller(),
            operation.work::reportHazard,
            operation.work.failsByHazard() ? text -> failBy(text, operation) : null);
    for (OperationWait<?> wait : operation.waits()) {
      EngineSemaphore semaphore = wait.semaphore();
      if (semaphore.needsSignalFor(wait.value())) {
        recorded.waitsFor(
            semaphore.order(), wait.value(), semaphore.currentValue() >= wait.value());
      }
    }
    int count = operation.signalCount();
    if (count > 0) {
      TimelineOrder[] timelines = new TimelineOrder[count];
      long[] values = new long[count];
      for (int i = 0; i < count; i++) {
        timelines[i] = operation.signal(i).order();
        values[i] = operation.signalValue(i);
      }
      recorded.signals(timelines, values);
    }
    operation.work.record(recorded);
    operation.recorded = recorded;
    return new OperationRecord(record, recorded, record.add(recorded));
  }

  private static void failBy(String hazard, Operation<?> operation) {
    operation.failOwnWork(new HalException(Status.ABORTED, hazard));
    operation.work.reportHazard(hazard);
  }

  /** The operation is accepted. */
  void report(long number) {
    recorded.setNumber(number);
    if (!hazards.isEmpty()) {
      record.report(hazards);
    }
  }
}
