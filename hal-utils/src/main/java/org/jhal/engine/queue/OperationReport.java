// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Timepoint;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/** Describes operations for the flight recorder and for explanations. */
final class OperationReport {
  private OperationReport() {}

  /** Records that it was enqueued. For a thread that has found that this is recorded. */
  static void submission(Operation<?> operation, String kind, long kernel, int commands) {
    List<OperationWait<?>> waits = recordedWaits(operation);
    if (FlightRecorder.recordsSubmissions()) {
      FlightRecorder.submission(
          operation.queue.number(),
          operation.key,
          kind,
          kernel,
          commands,
          waits.size(),
          operation.signalCount());
    }
    if (FlightRecorder.recordsEdges()) {
      long queue = operation.queue.number();
      for (OperationWait<?> wait : waits) {
        FlightRecorder.edge(wait.semaphore().number(), wait.value(), false, queue, operation.key);
      }
      for (int i = 0; i < operation.signalCount(); i++) {
        FlightRecorder.edge(
            operation.signal(i).number(), operation.signalValue(i), true, queue, operation.key);
      }
    }
  }

  /** Its waits, but for those for a value that a timeline had from the start. */
  private static List<OperationWait<?>> recordedWaits(Operation<?> operation) {
    List<OperationWait<?>> waits = new ArrayList<>();
    for (OperationWait<?> wait : operation.waits()) {
      if (wait.semaphore().needsSignalFor(wait.value())) {
        waits.add(wait);
      }
    }
    return waits;
  }

  /** Records that it is being issued. For the drainer. */
  static void issue(Operation<?> operation) {
    if (operation.span == null && FlightRecorder.recordsOperations()) {
      operation.span = FlightRecorder.operation(operation.queue.number(), operation.key);
    }
  }

  /** Records the outcome. For the thread that has decided it, with no lock held. */
  static void outcome(Operation<?> operation) {
    HalException failure = operation.failure();
    Span begun = operation.span;
    if (begun == null && failure != null && FlightRecorder.recordsOperations()) {
      begun = FlightRecorder.operation(operation.queue.number(), operation.key); // never issued
    }
    Span.end(begun, failure == null ? null : failure.status().name());
  }

  /**
   * The value for which an open operation waits: that of the wait, or, if it is reached although
   * the stream waits for the operation that has covered it, the value that this one will signal.
   */
  private static long openValue(Operation<?> operation, OperationWait<?> wait) {
    Operation<?> producer = operation.state() == State.ISSUED ? wait.producer() : null;
    return producer == null || wait.semaphore().currentValue() < wait.value()
        ? wait.value()
        : producer.signalValue(wait.semaphore());
  }

  /** Describes an open operation. Returns null if it is not open yet, or no longer. */
  static @Nullable OpenOperation open(Operation<?> operation) {
    State now = operation.state();
    if (now == State.NEW || (now == State.DONE && operation.failure() == null)) {
      return null;
    }
    List<Timepoint> openWaits = new ArrayList<>();
    for (OperationWait<?> wait : operation.waits()) {
      EngineSemaphore semaphore = wait.semaphore();
      long value = openValue(operation, wait);
      if (semaphore.over() == null && semaphore.currentValue() < value) {
        openWaits.add(semaphore.at(value));
      }
    }
    List<Timepoint> signals = new ArrayList<>(operation.signalCount());
    for (int i = 0; i < operation.signalCount(); i++) {
      signals.add(operation.signal(i).at(operation.signalValue(i)));
    }
    return new OpenOperation(
        operation.queue.name(),
        operation.key,
        operation.work.describe(),
        !operation.hasOutcome() ? now.toString() : now == State.DONE ? "FAILED" : "SETTLED",
        operation.since,
        openWaits,
        signals);
  }
}
