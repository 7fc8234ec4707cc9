package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.HostCompletion;

/**
 * Decides which thread runs a {@linkplain HostCompletion#isBrief brief} host completion, and which
 * retires its operation. Both the completion thread and host threads that wait may see the event
 * fire. The first one claims the completion and runs it on the spot.
 *
 * <p>While a host thread runs it, the operation is still among those in flight, which only the
 * completion thread may change. If that sees the event meanwhile, it takes the operation out and
 * leaves the rest to the host thread; otherwise it finds the operation settled, and retires it.
 *
 * <p>Thread-safe.
 */
final class BriefRun {
  private enum State {
    /** No thread has claimed it. */
    OPEN,
    /** A host thread runs it, and the operation is in flight. */
    CLAIMED,
    /** The operation is in no list: the thread that runs this has it retired. */
    LEFT,
    /** It has run, and the operation is settled. */
    OVER
  }

  final HostCompletion completion;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  BriefRun(HostCompletion completion) {
    this.completion = completion;
  }

  /** For a host thread that has seen the event fire: whether it is to run the completion. */
  boolean claimInFlight() {
    return state.compareAndSet(State.OPEN, State.CLAIMED);
  }

  /**
   * For the completion thread, which has taken the operation out of those in flight: whether it is
   * to run the completion, or to drop it. If not, a host thread has claimed it.
   */
  boolean claim() {
    return state.compareAndSet(State.OPEN, State.LEFT);
  }

  /**
   * For the completion thread, if it cannot {@link #claim}: whether the host thread has yet to end
   * the operation, and then has it retired.
   */
  boolean leave() {
    return state.compareAndSet(State.CLAIMED, State.LEFT);
  }

  /**
   * For the thread that has run the completion and settled the operation: whether it has to have
   * the operation retired.
   */
  boolean end() {
    return state.getAndSet(State.OVER) == State.LEFT;
  }
}
