// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.queue.Operation.State;
import org.jhal.engine.timeline.Cascade;
import org.jhal.engine.timeline.WaitNode;
import org.jspecify.annotations.Nullable;

/**
 * Takes the operations of one queue from users' threads: {@link #begin}, fill in the work, then
 * {@link #submit} or {@link #abandon}, and in any case {@link #endEnqueue}, all on one thread. The
 * waits of operations are registered here and nowhere else. An operation is made ready when the
 * last one has ended, or fails when one fails (rules Q4 to Q6).
 *
 * <p>Thread-safe.
 */
public final class Enqueuer<E> {
  /**
   * How many operations, its own and others', a user's thread issues before it leaves the rest to
   * the issue thread.
   */
  private static final int COURTESY = 32;

  private final DeferredWorkQueue<E> queue;
  private final OpenList<E> open;
  private final IssueLine<E> line;
  private final Issuer<E> issuer;

  /** Begun operations that abandon() could not discard, by their links. */
  @GuardedBy("this")
  private @Nullable Operation<E> firstLeft;

  Enqueuer(DeferredWorkQueue<E> queue, OpenList<E> open, IssueLine<E> line, Issuer<E> issuer) {
    this.queue = queue;
    this.open = open;
    this.line = line;
    this.issuer = issuer;
  }

  /**
   * Returns an operation to fill in, and enters the gate. The caller must then submit or {@link
   * #abandon} it, and {@link #endEnqueue leave} the gate.
   *
   * @param work what it does, which may be filled in until the operation is captured
   * @param servesCopy whether the operation is a chunk of a copy between devices that is under way;
   *     such an operation is accepted even while the queue is closing
   * @throws HalException FAILED_PRECONDITION if the queue is closed; UNAVAILABLE if the device is
   *     lost
   */
  public Operation<E> begin(Work<E> work, boolean servesCopy) {
    HalException closing = queue.closing;
    if ((closing != null && !servesCopy) || !queue.gate.tryEnter()) {
      HalException lost = closing == null ? queue.lost() : null; // a loss may shut the gate, too
      throw lost != null
          ? lost.again()
          : new HalException(
              Status.FAILED_PRECONDITION,
              (queue.isClosedAlone ? "queue " : "the device of queue ")
                  + queue.name()
                  + " is closed");
    }
    Operation<E> begun = null;
    try {
      HalException cause = queue.lost();
      if (cause != null) {
        throw cause.again();
      }
      begun = new Operation<>(queue, work, servesCopy);
      return begun;
    } finally {
      if (begun == null) {
        endEnqueue();
      }
    }
  }

  /**
   * Discards an operation that was begun and not accepted. It has had no effect. If there is too
   * little stack for that, the issue thread does it.
   */
  public void abandon(Operation<E> operation) {
    try {
      operation.work.retire(RefCounted::release);
    } catch (Throwable t) {
      synchronized (this) { // without a call, for which there may be no stack left
        operation.next = firstLeft;
        firstLeft = operation;
      }
      queue.issueLater();
      throw t;
    }
  }

  /**
   * Leaves the gate. It is called where {@link #begin} was, and not further up the stack: a thread
   * that had enough stack to enter has enough to leave.
   */
  public void endEnqueue() {
    queue.gate.leave();
  }

  /** Discards what other threads could not discard. For the issue thread, and when it has ended. */
  void discardLeft() {
    for (Operation<E> left = takeLeft(); left != null; left = takeLeft()) {
      left.work.retire(RefCounted::release);
    }
  }

  private synchronized @Nullable Operation<E> takeLeft() {
    Operation<E> taken = firstLeft;
    firstLeft = taken == null ? null : taken.next;
    return taken;
  }

  /**
   * Captures the fences of an operation whose work is filled in, and asks the stream what it takes:
   * the last step that may refuse it.
   */
  public void capture(Operation<E> operation, Fence waits, Fence signals) {
    operation.capture(waits, signals, queue.stream);
  }

  /**
   * {@linkplain #capture Captures} and {@linkplain #submit(Operation) submits} an operation. If
   * this throws before the operation is accepted, the operation is abandoned.
   */
  public void submit(Operation<E> operation, Fence waits, Fence signals) {
    try {
      capture(operation, waits, signals);
      submit(operation);
    } finally {
      if (!operation.isAccepted()) {
        abandon(operation);
      }
    }
  }

  /**
   * Accepts an operation that was captured: registers its waits, and issues it if none of them is
   * open. Once it {@linkplain Operation#isAccepted is accepted}, other threads see it, and nothing
   * refuses it any more. An exception before that refuses it.
   */
  public void submit(Operation<E> operation) {
    boolean isRecorded = FlightRecorder.recordsSubmissions() || FlightRecorder.recordsEdges();
    String kind = "";
    long kernel = 0;
    int commands = 0;
    if (isRecorded) { // read before others can issue and retire it, recorded when it has its number
      kind = operation.work.kind();
      kernel = operation.work.kernel();
      commands = operation.work.commandCount();
    }
    Object domain = operation.work.waitsOnHost() ? null : queue.eventDomain;
    boolean mayIssue = !PlatformThreads.isCurrentVirtual();
    boolean isReached = areReached(operation) && !operation.work.needsAdmission();
    if (isReached) {
      announce(operation);
    }
    OperationRecord recorded = OperationRecord.of(operation);
    try {
      open.add(operation, isReached);
      if (recorded != null) {
        recorded.report(operation.key);
      }
      if (isRecorded) {
        OperationReport.submission(operation, kind, kernel, commands);
      }
      if (!isReached) {
        submitParked(operation, domain, mayIssue);
      } else if (line.add(operation, mayIssue)) {
        issuer.drainFrom(operation, COURTESY);
      } else {
        submitReady(operation);
      }
    } catch (Throwable t) {
      if (operation.key != 0) { // it is accepted: nothing refuses it any more
        queue.brokenBy = t; // first: it needs no stack
        queue.issueLater();
      }
      throw t;
    }
  }

  /** Goes on with an operation of which all waits are reached, and that could not be issued. */
  private void submitReady(Operation<E> operation) {
    // The queue may have failed all that was open between begin() and open.add(). It has then not
    // seen this operation, so that fails here.
    HalException failure = refusal(operation);
    if (failure != null) {
      queue.failUnissued(operation, failure);
    }
    drain();
  }

  private void submitParked(Operation<E> operation, @Nullable Object domain, boolean mayIssue) {
    // As above; and failOpen() may have been called before others could fail it.
    HalException failure =
        operation.workFailure() != null ? operation.workFailure() : refusal(operation);
    if (failure == null) {
      failure = register(operation, domain);
    }
    if (failure != null) {
      queue.failUnissued(operation, failure);
    } else if (!operation.countDown()) {
      for (OperationWait<E> wait : operation.waits()) {
        if (wait.producer != null) {
          new CoveredWait<>(wait).watch(Cascade.current());
        }
      }
    } else if (operation.work.admit(operation)) {
      announce(operation);
      if (line.add(operation, mayIssue)) {
        issuer.drainFrom(operation, COURTESY);
      } else {
        drain();
      }
    }
    if (operation.state() == State.DONE) {
      // Another thread has failed it, perhaps before the last waits were registered.
      OperationWait.deregisterAll(operation);
      operation.releaseProducers();
    }
  }

  /** Issues ready operations. A virtual thread leaves that to the issue thread. */
  void drain() {
    if (PlatformThreads.isCurrentVirtual()) {
      queue.issueLater();
    } else {
      issuer.drain(COURTESY);
    }
  }

  /** Why an operation that was begun can no longer be accepted, or null if it can. */
  private @Nullable HalException refusal(Operation<E> operation) {
    HalException cause = queue.lost();
    return cause != null || (operation.servesCopy && !queue.gate.isShut()) ? cause : queue.closing;
  }

  // Waits.

  /** Whether all waits are reached, so that none has to be registered. */
  private boolean areReached(Operation<E> operation) {
    for (OperationWait<E> wait : operation.waits()) {
      if (!wait.semaphore().isReached(wait.value())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Registers each wait that is neither reached nor covered by an event of {@code domain}. Returns
   * the failure of a wait, or null.
   */
  private @Nullable HalException register(Operation<E> operation, @Nullable Object domain) {
    for (OperationWait<E> wait : operation.waits()) {
      if (!wait.semaphore().register(wait, wait.value(), domain)) {
        if (wait.failure != null) {
          return wait.failure;
        }
        operation.countDown(); // false, since the registration counts as well
      }
    }
    return null;
  }

  /** See {@link DeferredWorkQueue#waitOver}. */
  void waitOver(Operation<E> operation, OperationWait<E> wait, Cascade cascade) {
    HalException failure = wait.failure;
    if (failure != null) {
      queue.failUnissued(operation, failure);
    } else if (!operation.countDown()) {
      if (wait.producer != null) { // behind what the cascade has left, which may be the other waits
        cascade.addReleased(new CoveredWait<>(wait));
      }
    } else if (operation.work.admit(operation)) {
      announce(operation);
      line.add(operation, false); // the cascade issues it
      cascade.addReady(queue);
    }
  }

  /** See {@link DeferredWorkQueue#admitted}. */
  void admitted(Operation<E> operation) {
    if (queue.closing != null) {
      return; // the thread that has set this is failing all that was parked
    }
    announce(operation);
    line.add(operation, false);
    queue.issueLater();
  }

  /**
   * Lets host threads that wait for the signals of an operation know that an event will cover them
   * soon, if it is left to the issue thread. Called when the operation waits for nothing but its
   * turn.
   */
  private void announce(Operation<E> operation) {
    long spin = operation.mayBlock() ? operation.spinNanos() : 0;
    if (spin > 0) {
      long until = System.nanoTime() + spin;
      for (int i = 0; i < operation.signalCount(); i++) {
        operation.signal(i).expectEvent(until);
      }
    }
  }

  /**
   * Watches a covered wait while others, which may stay open for ever, are open: the event that
   * covers it says nothing of a failure of the work behind it (rule Q6). It is withdrawn when the
   * operation is issued or has failed.
   *
   * <p>A cascade may also hold it unregistered, behind other waiters; it then begins to watch.
   */
  private static final class CoveredWait<E> extends WaitNode {
    private final OperationWait<E> wait;
    private boolean isWatching; // written before it is registered

    CoveredWait(OperationWait<E> wait) {
      super(wait.operation.queue);
      this.wait = wait;
    }

    @Override
    public void released(Cascade cascade) {
      if (isWatching) {
        over(cascade);
      } else if (wait.operation.isParked()) {
        watch(cascade);
      }
    }

    /** The operation may be issued, and even retire, at the same time. */
    void watch(Cascade cascade) {
      isWatching = true;
      wait.watch = this; // first: a thread that changes the state below then withdraws this
      if (!wait.semaphore().register(this, wait.value(), null)) {
        over(cascade);
      } else if (!wait.operation.isParked()) { // that thread may have looked before
        wait.endWatch();
      }
    }

    /** The thread may have the drainer's role: it has published what covers the wait. */
    private void over(Cascade cascade) {
      // A timeline that ends keeps its value, so this says whether it was reached before that.
      boolean isReached = wait.semaphore().currentValue() >= wait.value();
      if (failure != null && !isReached && !cascade.leaves(this)) {
        wait.operation.queue.failUnissued(wait.operation, failure); // no-op if it was issued
      }
    }
  }
}
