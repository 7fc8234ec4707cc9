package org.jhal.engine.queue;

import java.util.concurrent.atomic.AtomicReference;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.concurrent.Gate;
import org.jhal.engine.concurrent.StackReserve;

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
final class BriefRun<E> {
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

  private final Operation<E> operation;
  private final HostCompletionRun<E> run; // made here: a claimed run must not lack memory or stack
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  BriefRun(Operation<E> operation, HostCompletion completion) {
    this.operation = operation;
    this.run = new HostCompletionRun<>(operation, completion);
  }

  /**
   * For a host thread that has seen the event fire, with no lock held: runs the completion and
   * settles the operation. Leaves that to the completion thread if the operation fails, and if it
   * would have to wait (see {@link Settling#trySettle}).
   *
   * @return whether the operation is settled
   */
  boolean trySettle() {
    if (!Settling.trySettleProducers(operation) || Settling.foreseeFailure(operation) != null) {
      return false;
    }
    StackReserve.check(operation.key); // behind the claim, no other thread ends the operation
    Gate gate = operation.queue.gate;
    if (!gate.tryEnter()) {
      return false;
    }
    Throwable thrown;
    try { // inside, so that the device's close does not free what the completion reads
      if (!state.compareAndSet(State.OPEN, State.CLAIMED)) {
        return operation.isApplied();
      }
      thrown = run.call();
    } finally {
      gate.leave();
    }
    run.endBehind(thrown); // outside, as users' callbacks run
    return true;
  }

  /**
   * For the completion thread, which has taken the operation out of those in flight.
   *
   * @return whether it is to run the completion, or to drop it. If not, a host thread has claimed
   *     it
   */
  boolean claim() {
    return state.compareAndSet(State.OPEN, State.LEFT);
  }

  /**
   * For the completion thread behind {@link #claim}: runs the completion and ends the operation.
   */
  void runClaimed() {
    run.run();
  }

  /**
   * For the completion thread, if it cannot {@link #claim}.
   *
   * @return whether the host thread has yet to end the operation, and then has it retired
   */
  boolean leave() {
    return state.compareAndSet(State.CLAIMED, State.LEFT);
  }

  /**
   * For the thread that has run the completion and settled the operation.
   *
   * @return whether it has to have the operation retired
   */
  boolean end() {
    return state.getAndSet(State.OVER) == State.LEFT;
  }
}
