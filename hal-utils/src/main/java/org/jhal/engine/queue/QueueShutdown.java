// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jhal.HalException;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Failures;

/**
 * Closes a queue, in steps that the device takes one after the other, each for all its queues:
 * {@link #cancelUsers}, {@link #awaitIdle}, {@link #shut}, {@link #cancelAll}, {@link
 * #awaitRetired}, {@link #abandonAll} if that failed, {@link #stop}, {@link #awaitStreamIdle},
 * {@link #retireKept}, {@link #closeStream}. Deadlines are those of the device, for all its queues.
 *
 * <p>For one thread at a time.
 */
public final class QueueShutdown<E> {
  private static final System.Logger LOG = System.getLogger(QueueShutdown.class.getName());

  private final DeferredWorkQueue<E> queue;

  QueueShutdown(DeferredWorkQueue<E> queue) {
    this.queue = queue;
  }

  /** Step 1: refuses users' operations from now on, and fails theirs that were not issued. */
  public void cancelUsers(HalException reason) {
    cancel(operation -> !operation.servesCopy, reason);
  }

  /** Step 1 for a queue whose device stays open. */
  public void cancelAlone(HalException reason) {
    queue.isClosedAlone = true;
    cancelUsers(reason);
  }

  /** Step 2: waits until no operation is open. Returns false if the deadline passes first. */
  public boolean awaitIdle(long deadline) {
    queue.wish.want(Wish.ALL);
    return queue.open.awaitNone(deadline);
  }

  /**
   * Step 3: shuts the gate, so that no thread enqueues, issues or polls any more, and waits for
   * those inside to leave.
   */
  public boolean shut(long deadline) {
    queue.gate.shut();
    queue.line.end();
    return queue.gate.awaitEmpty(deadline);
  }

  /** Step 4: fails everything that was not issued. */
  public void cancelAll(HalException reason) {
    cancel(operation -> true, reason);
  }

  /**
   * Step 5: waits until no operation is open. Returns false if the deadline passes first; {@code
   * retired} is the deadline if none of those that are left was issued, since they only have to be
   * retired.
   */
  public boolean awaitRetired(long deadline, long retired) {
    if (awaitIdle(deadline)) {
      return true;
    }
    long[] counts = new long[State.values().length];
    queue.open.count(counts);
    return counts[State.ISSUED.ordinal()] == 0 && queue.open.awaitNone(retired);
  }

  /**
   * Step 6, only past the deadline: fails what is still in flight, which will not be retired.
   * Returns how many operations that is. Others only have to be retired.
   */
  public int abandonAll(HalException reason) {
    queue.end.begin(System.nanoTime());
    int left = 0;
    for (Operation<E> operation : queue.open.all()) {
      left += operation.state() == State.ISSUED ? 1 : 0;
    }
    queue.failAll(operation -> true, reason, true);
    return left;
  }

  /**
   * Step 7: ends the threads of the queue. Returns false if one of them, or a user's thread that is
   * issuing, did not finish in time.
   */
  public boolean stop(long deadline) {
    DeviceEnd.removeWaker(queue.waker);
    Names.remove(queue.number());
    // A thread inside the gate may still leave work to the queue's threads.
    return queue.gate.awaitEmpty(deadline)
        && queue.issueRole.stop(deadline) & queue.completionRole.stop(deadline);
  }

  /**
   * Step 8: waits until the stream has run everything, including work whose event could not be
   * recorded or waited for. Returns false if that is not known at the deadline; the stream may then
   * still use what its operations hold.
   */
  public boolean awaitStreamIdle(long deadline) {
    return BackOff.await(this, deadline, this::isStreamIdle);
  }

  /**
   * Step 9: the streams of the device have run everything, so what was kept until then retires.
   * Other devices whose memory it has used may wait for that while they are being closed
   * themselves.
   */
  public void retireKept() {
    attempt("retire what was settled", queue.deputy::retireNow);
    attempt("retire what was kept", queue.completer::retireRest);
  }

  /** Refuses new operations, and fails the selected ones that were not issued. */
  private void cancel(Predicate<Operation<E>> which, HalException reason) {
    // Before the walk: a thread that is enqueueing sees this, or failAll() sees its operation.
    queue.closing = reason;
    queue.failAll(which, reason, false);
  }

  private boolean isStreamIdle() {
    AtomicBoolean isIdle = new AtomicBoolean();
    Throwable thrown = Attempt.of(() -> isIdle.set(queue.queries.isIdle()));
    // If the runtime itself reports the loss, no work runs any more.
    return thrown == null ? isIdle.get() : Failures.isLoss(thrown);
  }

  /**
   * Before step 10 for a queue whose device stays open: waits until no other stream is being made
   * to wait for one of its events. Returns false if the deadline passes first.
   */
  public boolean awaitEvents(long deadline) {
    return BackOff.await(this, deadline, queue.events::areAllBack);
  }

  /**
   * Before step 10 for a queue whose device stays open, and its threads for what is done aside:
   * waits until none of these retires anything. Returns false if the deadline passes first.
   */
  public boolean awaitDeputy(long deadline) {
    return BackOff.await(this, deadline, queue.deputy::isIdle);
  }

  /** Step 10, unless something is leaked: frees everything native. Nothing uses it any more. */
  public void closeStream() {
    queue.retiring.end();
    queue.line.clear();
    attempt("discard what was refused", queue.enqueuer()::discardLeft);
    retireKept();
    attempt("destroy the events", queue.events::close);
    attempt("close the stream", queue.stream::close);
    queue.events.logFailures(queue.name());
  }

  /** Does a part of a step, and logs what it throws: the rest must still be closed. */
  private void attempt(String part, Runnable body) {
    Throwable thrown = Attempt.of(body);
    if (thrown != null) {
      Failures.log(LOG, Level.WARNING, "cannot " + part + " of " + queue.name(), thrown);
    }
  }
}
