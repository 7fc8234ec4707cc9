package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.queue.Operation.State;
import org.jspecify.annotations.Nullable;

/**
 * Hands READY operations to the native stream, in the order of their numbers. There is one drainer
 * at a time: the role comes with an operation from {@link QueueLists}, and goes when there is none
 * left. Who does not get it leaves its operation to the drainer.
 *
 * <p>Thread-safe.
 */
final class Issuer<E> {
  private final StreamOwner<E> owner;
  private final QueueLoss loss;
  private final QueueLists<E> lists;
  private final NativeStream<E> stream;
  private final EventPool<E> events;
  private final Object domain;

  Issuer(
      StreamOwner<E> owner,
      QueueLoss loss,
      QueueLists<E> lists,
      NativeStream<E> stream,
      EventPool<E> events,
      Object domain) {
    this.owner = owner;
    this.loss = loss;
    this.lists = lists;
    this.stream = stream;
    this.events = events;
    this.domain = domain;
  }

  /**
   * Issues up to {@code budget} READY operations, unless somebody else is at it; leaves the rest,
   * and what might block, to the issue thread. For any other thread.
   */
  void drain(int budget) {
    issueFrom(lists.startIssuing(false), false, budget, false);
  }

  /** Issues all READY operations, unless somebody else is at it. For the issue thread. */
  void drainAll() {
    issueFrom(lists.startIssuing(true), false, Integer.MAX_VALUE, true);
  }

  /**
   * Issues {@code first}, which is ISSUED and brought the role with it, and goes on as {@link
   * #drain} does.
   */
  void drainFrom(Operation<E> first, int budget) {
    issueFrom(first, true, budget, false);
  }

  private void issueFrom(
      @Nullable Operation<E> first, boolean isClaimed, int budget, boolean mayBlock) {
    if (first == null) {
      return;
    }
    // On a lost device nothing is bound and nothing reaches the stream: operations only leave the
    // heap.
    if (loss.cause() != null) {
      issueBound(first, isClaimed, budget, mayBlock);
      return;
    }
    long token;
    try {
      token = stream.bindToThread();
    } catch (Throwable t) {
      loss.loseLater("bindToThread", t);
      issueBound(first, isClaimed, budget, mayBlock);
      return;
    }
    try {
      issueBound(first, isClaimed, budget, mayBlock);
    } finally {
      unbind(token);
    }
  }

  /** Issues until there is nothing left to issue here. */
  private void issueBound(Operation<E> first, boolean isClaimed, int budget, boolean mayBlock) {
    int left = budget;
    boolean isOurs = isClaimed || claim(first);
    for (Operation<E> operation = first; operation != null; ) {
      boolean isInFlight = isOurs && issue(operation);
      operation = lists.next(isInFlight ? operation : null, --left > 0, mayBlock);
      if (isInFlight) {
        owner.completeLater();
      }
      isOurs = operation != null && claim(operation);
    }
  }

  /** False if an operation failed while it was in the heap, whose reference goes in any case. */
  private boolean claim(Operation<E> operation) {
    boolean isOurs = operation.changeState(State.READY, State.ISSUED);
    operation.release(); // not the last while it is ISSUED
    return isOurs;
  }

  private void unbind(long token) {
    try {
      stream.unbindFromThread(token);
    } catch (Throwable t) {
      loss.loseLater("unbindFromThread", t);
    }
  }

  /**
   * Issues one operation, which cannot retire before it is in flight or has failed; the device is
   * bound. Only an error of the engine's own lines escapes, which {@link QueueLists#escaped} is
   * for.
   *
   * @return whether it is in flight; if not, it may be in other use already
   */
  private boolean issue(Operation<E> operation) {
    PooledEvent<E> event = null;
    boolean mayHaveReachedStream = false;
    try {
      HalException cause = loss.cause();
      if (cause != null) {
        throw cause;
      }
      event = events.acquire();
      mayHaveReachedStream = waitForProducers(operation);
      if (operation.workFailure() == null) {
        mayHaveReachedStream = true;
        operation.work.issue(stream, operation);
      }
    } catch (Throwable t) { // also a driver's own bug: it must not stop the drainer
      HalException failure = Failures.of(t);
      operation.failWork(
          failure.status() == Status.UNAVAILABLE ? loss.loseLater("issue", t) : failure);
    }
    HalException failure = operation.workFailure();
    if (event == null || !mayHaveReachedStream) {
      if (event != null) {
        event.release();
      }
      owner.failLater(operation);
      return false;
    }
    try {
      stream.recordEvent(event.handle);
    } catch (Throwable t) {
      // No event will tell when the work is over, and the device is lost, so nothing waits for it.
      operation.failWork(loss.loseLater(operation.behind("recordEvent"), t));
      event.release();
      if (Failures.isLoss(t)) {
        owner.failLater(operation); // the native runtime says so itself: nothing runs any more
      } else {
        lists.keep(operation);
      }
      return false;
    }
    operation.setEvent(event);
    HostCompletion completion = operation.work.hostCompletion();
    boolean publishes =
        failure == null && (completion == null || !operation.work.signalsAfterHostCompletion());
    if (publishes) {
      // A host thread may settle the operation meanwhile: then its signals are reached and
      // publish() skips them.
      for (int i = 0; i < operation.signalCount(); i++) {
        operation.signal(i).publish(operation, operation.signalValue(i), domain);
      }
    }
    return true;
  }

  /**
   * Makes the stream wait for the events that cover the operation's waits (rule Q5). If a producer
   * is known to have failed, keeps its failure; then the work is not to be issued.
   *
   * @return whether the stream was told to wait for anything
   */
  private boolean waitForProducers(Operation<E> operation) {
    // A failure that is known before anything reaches the stream fails the operation at once.
    for (int i = 0; i < operation.waitCount(); i++) {
      Operation<?> producer = operation.wait(i).producer;
      HalException failure = producer == null ? null : producer.failure();
      if (failure != null) {
        operation.failWork(failure);
        return false;
      }
    }
    // One that shows from here on does not end the loop: the event behind this operation must lie
    // behind all producers,
    // since whoever sees it fired settles them.
    boolean hasWaited = false;
    for (int i = 0; i < operation.waitCount(); i++) {
      Operation<?> producer = operation.wait(i).producer;
      if (producer != null) {
        hasWaited |= waitFor(operation, producer);
      }
    }
    return hasWaited;
  }

  private boolean waitFor(Operation<E> operation, Operation<?> producer) {
    PooledEvent<E> event = null;
    if (!producer.hasVerdict()) {
      if (producer.queue.isStream(stream) && stream.isInOrder()) {
        return false;
      }
      @SuppressWarnings("unchecked") // the semaphore hands out operations of our own device only
      Operation<E> own = (Operation<E>) producer;
      event = own.retainEvent(); // null if it has retired meanwhile
    }
    if (event == null) {
      HalException failure = producer.failure();
      if (failure != null) {
        operation.failWork(failure);
      }
      return false;
    }
    try {
      stream.waitEvent(event.handle);
      return true;
    } catch (Throwable t) {
      throw loss.loseLater("waitEvent", t);
    } finally {
      event.release();
    }
  }
}
