package org.jhal.engine.queue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Timepoint;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.queue.Operation.State;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/** Describes operations for the flight recorder and for explanations. */
final class OperationReport {
  private OperationReport() {}

  /** Records that it was enqueued. */
  static void submission(Operation<?> operation, String kind, long kernel, int commands) {
    int recorded = 0;
    for (int i = 0; i < operation.waitCount(); i++) {
      recorded += operation.wait(i).needsSignal() ? 1 : 0;
    }
    FlightRecorder.submission(
        operation.queue.number(),
        operation.key,
        kind,
        kernel,
        commands,
        recorded,
        operation.signalCount());
  }

  /** Records its timepoints, but no wait for a value that a timeline had from the start. */
  static void edges(Operation<?> operation) {
    long queue = operation.queue.number();
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<?> wait = operation.wait(i);
      if (wait.needsSignal()) {
        FlightRecorder.edge(wait.semaphore().number(), wait.value(), false, queue, operation.key);
      }
    }
    for (int i = 0; i < operation.signalCount(); i++) {
      FlightRecorder.edge(
          operation.signal(i).number(), operation.signalValue(i), true, queue, operation.key);
    }
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

  /** Describes an open operation. Returns null if it is not open yet, or no longer. */
  static @Nullable OpenOperation open(Operation<?> operation) {
    State now = operation.state();
    if (now == State.NEW || (now == State.DONE && operation.failure() == null)) {
      return null;
    }
    List<Timepoint> openWaits = new ArrayList<>(operation.waitCount());
    for (int i = 0; i < operation.waitCount(); i++) {
      EngineSemaphore semaphore = operation.wait(i).semaphore();
      long value = operation.wait(i).value();
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

  /**
   * Adds an operation to the explanation if it would raise {@code semaphore} to {@code value}, also
   * if it waits for its own signal.
   */
  static void explain(
      Operation<?> operation, EngineSemaphore semaphore, long value, Explanation explanation) {
    for (int i = 0; i < operation.signalCount(); i++) {
      long signal = operation.signalValue(i);
      if (operation.signal(i) == semaphore && signal >= value) {
        if (!waitsFor(operation, semaphore, value)) {
          explanation.add(() -> open(operation));
        } else if (waitsFor(operation, semaphore, signal)) {
          explanation.addInVain(() -> open(operation));
        }
      }
    }
  }

  /** Whether an operation begins only once {@code semaphore} has reached {@code least}, or more. */
  private static boolean waitsFor(Operation<?> operation, EngineSemaphore semaphore, long least) {
    for (int i = 0; i < operation.waitCount(); i++) {
      OperationWait<?> wait = operation.wait(i);
      if (wait.semaphore() == semaphore && wait.value() >= least) {
        return true;
      }
    }
    return false;
  }
}
