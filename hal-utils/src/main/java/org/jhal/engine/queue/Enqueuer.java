package org.jhal.engine.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Takes the operations of one queue from users' threads: {@link #begin}, fill in the work, then
 * {@link #submit} or {@link #abandon}, and in any case {@link #endEnqueue}, all on one thread.
 *
 * <p>Thread-safe.
 */
public final class Enqueuer<E> {
  /**
   * How many operations, its own and others', a user's thread issues before it leaves the rest to
   * the issue thread.
   */
  private static final int COURTESY = 32;

  private final OperationQueue<E> queue;
  private final OpenList<E> open;
  private final IssueLine<E> line;
  private final WaitRegistration<E> registration;
  private final OperationFailures<E> failing;
  private final Issuer<E> issuer;

  // Why new operations are refused once closing has begun, else null. Written by the thread that
  // closes the device, read by threads that enqueue.
  private volatile @Nullable HalException cancelled;

  /** Begun operations to discard, which abandon() could not, by their links. */
  @GuardedBy("this")
  private @Nullable Operation<E> firstLeft;

  Enqueuer(
      OperationQueue<E> queue,
      OpenList<E> open,
      IssueLine<E> line,
      WaitRegistration<E> registration,
      OperationFailures<E> failing,
      Issuer<E> issuer) {
    this.queue = queue;
    this.open = open;
    this.line = line;
    this.registration = registration;
    this.failing = failing;
    this.issuer = issuer;
  }

  /** Refuses users' operations from now on. */
  void refuse(HalException reason) {
    cancelled = reason;
  }

  /** Whether users' operations are refused since the device is being closed. */
  boolean isClosing() {
    return cancelled != null;
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
    if ((cancelled != null && !servesCopy) || !queue.gate.tryEnter()) {
      HalException lost =
          cancelled == null ? queue.loss.cause() : null; // see DeferredWorkQueue.loseBecause()
      throw lost != null
          ? lost.again()
          : new HalException(
              Status.FAILED_PRECONDITION, "the device of queue " + queue.name() + " is closed");
    }
    try {
      HalException cause = queue.loss.cause();
      if (cause != null) {
        throw cause.again();
      }
      Operation<E> operation = new Operation<>(queue, work);
      operation.servesCopy = servesCopy;
      return operation;
    } catch (Throwable t) {
      endEnqueue();
      throw t;
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
   * Leaves the gate that {@link #begin} has entered. It is called where {@link #begin} was, and not
   * further up the stack: a thread that had enough stack to enter has enough to leave.
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
   * Captures the fences, and asks the stream what the operation takes: the last step that may
   * refuse it. Its work is filled in. The caller must then call {@link #submit(Operation)}, or
   * {@link #abandon} if this throws.
   */
  public void capture(Operation<E> operation, Fence waits, Fence signals) {
    operation.capture(waits, signals, queue.stream);
  }

  /**
   * Accepts an operation: {@linkplain #capture captures}, and {@linkplain #submit(Operation)
   * submits} it. If this throws before the operation is accepted, the operation is abandoned.
   */
  public void submit(Operation<E> operation, Fence waits, Fence signals) {
    try {
      capture(operation, waits, signals);
      submit(operation);
    } catch (Throwable t) {
      if (!operation.isAccepted()) {
        abandon(operation);
      }
      throw t;
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
    Object domain = registration.domainOf(operation);
    boolean mayIssue = !PlatformThreads.isCurrentVirtual();
    boolean isReached = registration.areReached(operation);
    if (isReached) {
      registration.announce(operation);
    }
    try {
      open.add(operation, isReached);
      if (isRecorded) {
        record(operation, kind, kernel, commands);
      }
      if (!isReached) {
        submitParked(operation, domain, mayIssue);
      } else if (line.add(operation, mayIssue)) {
        issuer.drainFrom(operation, COURTESY);
      } else {
        submitReady(operation);
      }
    } catch (Throwable t) {
      if (operation.key != 0) { // it is accepted; no call, for which there may be no stack left
        queue.broken.by = t;
        queue.issueLater();
      }
      throw t;
    }
  }

  /** Goes on with an operation of which all waits are reached, and that could not be issued. */
  private void submitReady(Operation<E> operation) {
    // lose() or cancel() may have walked the open operations between begin() and open.add(). They
    // have then not seen this one, so it is failed here.
    HalException failure = refusal(operation);
    if (failure != null) {
      failing.failUnissued(operation, failure);
    }
    drain();
  }

  private void submitParked(Operation<E> operation, @Nullable Object domain, boolean mayIssue) {
    // As above; and failOpen() may have been called before others could fail it.
    HalException failure =
        operation.workFailure() != null ? operation.workFailure() : refusal(operation);
    if (failure == null) {
      failure = registration.register(operation, domain);
    }
    if (failure != null) {
      failing.failUnissued(operation, failure);
    } else if (!operation.countDown()) {
      registration.watchCovered(operation);
    } else {
      registration.announce(operation);
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

  private void record(Operation<E> operation, String kind, long kernel, int commands) {
    if (FlightRecorder.recordsSubmissions()) {
      OperationReport.submission(operation, kind, kernel, commands);
    }
    if (FlightRecorder.recordsEdges()) {
      OperationReport.edges(operation);
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
    HalException cause = queue.loss.cause();
    return cause != null || (operation.servesCopy() && !queue.gate.isShut()) ? cause : cancelled;
  }
}
