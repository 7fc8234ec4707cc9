package org.jhal.engine.queue;

import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jhal.HalException;
import org.jhal.driver.NativeStream;
import org.jhal.driver.support.BackOff;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.engine.queue.Operation.State;

/**
 * Closes a queue, in steps that the device takes one after the other, each for all its queues:
 * {@link #cancelUsers}, {@link #awaitIdle}, {@link #shut}, {@link #cancelAll}, {@link #awaitIdle}
 * again, {@link #abandonAll} if that failed, {@link #stop}, {@link #awaitStreamIdle}, {@link
 * #retireKept}, {@link #closeStream}.
 *
 * <p>For one thread at a time.
 */
public final class QueueShutdown<E> {
  private static final System.Logger LOG = System.getLogger(QueueShutdown.class.getName());

  /** How long operations that failed without having been issued may take to retire. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final DeferredWorkQueue<E> queue;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final QueueGate gate;
  private final OpenList<E> open;
  private final IssueLine<E> line;
  private final Retirement<E> retirement;
  private final Completer<E> completer;

  QueueShutdown(
      DeferredWorkQueue<E> queue,
      NativeStream<E> stream,
      EventPool<E> events,
      QueueGate gate,
      OpenList<E> open,
      IssueLine<E> line,
      Retirement<E> retirement,
      Completer<E> completer) {
    this.queue = queue;
    this.stream = stream;
    this.events = events;
    this.gate = gate;
    this.open = open;
    this.line = line;
    this.retirement = retirement;
    this.completer = completer;
  }

  /** Step 1: refuses users' operations from now on, and fails theirs that were not issued. */
  public void cancelUsers(HalException reason) {
    queue.cancel(operation -> !operation.servesCopy(), reason);
  }

  /**
   * Steps 2 and 5: waits until no operation is open. Those that failed without having been issued
   * get {@link #GRACE} beyond the deadline, since they only have to be retired.
   */
  public boolean awaitIdle(long deadline) {
    if (open.awaitNone(deadline)) {
      return true;
    }
    long[] counts = new long[State.values().length];
    open.count(counts);
    return counts[State.ISSUED.ordinal()] == 0
        && open.awaitNone(System.nanoTime() + GRACE.toNanos());
  }

  /**
   * Step 3: shuts the gate, so that no thread enqueues, issues or polls any more, and waits for
   * those inside to leave.
   */
  public boolean shut(long deadline) {
    gate.shut();
    line.end();
    return gate.awaitEmpty(deadline);
  }

  /** Step 4: fails everything that was not issued. */
  public void cancelAll(HalException reason) {
    queue.cancel(operation -> true, reason);
  }

  /**
   * Step 6, only past the deadline: fails what is still in flight, which will not be retired.
   * Returns how many operations are left open.
   */
  public int abandonAll(HalException reason) {
    queue.end.begin(System.nanoTime());
    return queue.failing().failAll(operation -> true, reason, true);
  }

  /**
   * Step 7: ends the threads of the queue. Returns false if one of them, or a user's thread that is
   * issuing, did not finish in time.
   */
  public boolean stop(long deadline) {
    queue.leaveOpen();
    Names.remove(queue.number());
    // A thread inside the gate may still leave work to the queue's threads.
    return gate.awaitEmpty(deadline)
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
    completer.retireRest();
  }

  private boolean isStreamIdle() {
    try {
      long token = stream.bindToThread();
      try {
        return stream.isIdle();
      } finally {
        stream.unbindFromThread(token);
      }
    } catch (Throwable t) {
      return Failures.isLoss(t); // the runtime itself reports the loss: no work runs any more
    }
  }

  /** Step 10, unless something is leaked: frees everything native. Nothing uses it any more. */
  public void closeStream() {
    events.close();
    try {
      stream.close();
    } catch (Throwable t) { // the rest of the device must still be closed
      Failures.log(LOG, Level.WARNING, "cannot close the stream of " + queue.name(), t);
    }
    retirement.end();
    line.clear();
    queue.enqueuer().discardLeft();
    completer.retireRest();
    events.logFailures(queue.name());
  }
}
