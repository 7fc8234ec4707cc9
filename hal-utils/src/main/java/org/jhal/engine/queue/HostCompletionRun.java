// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;
import org.jspecify.annotations.Nullable;

/**
 * One run of an operation's host completion, on a thread of its pool, or, if it is brief, on the
 * thread that sees the event fire. It ends the operation once: when the completion returns, or, if
 * that has deferred the end, when it says so. A user's host call ends its operation itself.
 *
 * <p>Thread-safe: any thread may end it.
 */
final class HostCompletionRun<E>
    implements Runnable, HostCompletion.Context, HostCompletion.Completion {
  private enum State {
    /** The operation ends when the completion returns. */
    RUNNING,
    /** The operation ends by {@link #end}. */
    DEFERRED,
    /** The operation has ended. */
    OVER
  }

  private static final System.Logger LOG = System.getLogger(HostCompletionRun.class.getName());

  private final Operation<E> operation;
  private final HostCompletion completion;
  private final boolean endsOperation;
  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

  HostCompletionRun(Operation<E> operation, HostCompletion completion) {
    this(operation, completion, operation.work.endsWithHostCompletion());
  }

  HostCompletionRun(Operation<E> operation, HostCompletion completion, boolean endsOperation) {
    this.operation = operation;
    this.completion = completion;
    this.endsOperation = endsOperation;
  }

  @Override
  public void run() {
    endBehind(call());
  }

  /** Runs the completion, and returns what it has thrown; {@link #endBehind} has to follow. */
  @Nullable Throwable call() {
    return ProgramCode.thrownBy(this::complete);
  }

  /** Ends the operation after {@link #call}, unless the completion has deferred that. */
  void endBehind(@Nullable Throwable thrown) {
    if (endsOperation) {
      if (!end(State.RUNNING, thrown) && thrown != null) {
        afterEnd(thrown);
      }
    } else if (thrown != null) { // no other thread may end the operation
      loseBy(thrown);
    }
  }

  private void complete() throws Exception {
    Span span =
        FlightRecorder.recordsHostCompletions()
            ? FlightRecorder.hostCompletion(operation.queue.number(), operation.key)
            : null;
    try {
      completion.run(this);
    } finally {
      Span.end(span, null);
    }
  }

  /** The completion threw after it had deferred the end, which may have come meanwhile. */
  private void afterEnd(Throwable thrown) {
    if (Failures.isLoss(thrown)) {
      operation.queue.loss.lose("the host's part of an operation", thrown);
    } else {
      Failures.log(
          LOG, Level.ERROR, "a host completion threw after it had deferred its end", thrown);
    }
  }

  private HalException loseBy(Throwable thrown) {
    return operation.queue.loss.lose("the host's part of " + operation.name(), thrown);
  }

  @Override
  public HostThreads threads() {
    return operation.work.hostThreads();
  }

  @Override
  public HostCompletion.Completion defer() {
    if (!state.compareAndSet(State.RUNNING, State.DEFERRED)) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "a host completion may be deferred once, while it runs; it is " + state);
    }
    return this;
  }

  @Override
  public void end(@Nullable Throwable failure) {
    end(State.DEFERRED, failure);
  }

  private boolean end(State from, @Nullable Throwable thrown) {
    if (!state.compareAndSet(from, State.OVER)) {
      return false;
    }
    HalException failure = thrown == null ? null : Failures.aborted("host call threw ", thrown);
    try {
      if (thrown != null && Failures.isLoss(thrown)) {
        failure = loseBy(thrown);
      }
    } finally { // even after an error: no other thread ends the operation
      operation.queue.hostCompletionOver(operation, failure);
    }
    return true;
  }
}
