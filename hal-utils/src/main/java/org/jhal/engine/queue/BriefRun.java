// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jhal.driver.HostCompletion;
import org.jhal.engine.timeline.ProgramCode;

/**
 * Decides which thread runs a {@linkplain HostCompletion#isBrief brief} host completion, and which
 * retires its operation. Both the completion thread and host threads that wait may see the event
 * fire. The first one claims the completion and runs it on the spot.
 *
 * <p>While a host thread runs it, the operation is still among those in flight, which only the
 * completion thread may change. If that sees the event meanwhile, it takes the operation out and
 * leaves the rest to the host thread; otherwise it finds the operation settled, and retires it.
 *
 * <p>Before the event fires, any of them may {@link #advance} it. Then the operation cannot be
 * claimed, so whoever is to run or drop it waits for that, which is the copy of a piece.
 *
 * <p>Thread-safe.
 */
final class BriefRun {
  private enum State {
    /** No thread has claimed it. */
    OPEN,
    /** A thread does a part of it, and the event may fire meanwhile. */
    ADVANCING,
    /** A host thread runs it, and the operation is in flight. */
    CLAIMED,
    /** The operation is in no list: the thread that runs this has it retired. */
    LEFT,
    /** It has run, and the operation is settled. */
    OVER
  }

  private static final VarHandle STATE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "state", VarHandle.class, BriefRun.class, State.class);

  /** A thread that waits for a piece gives way to others after so many turns. */
  private static final int PATIENT_TURNS = 1000;

  final HostCompletion completion;
  private volatile State state = State.OPEN; // changed by compare-and-set, see STATE

  /** There is more to do before the event fires. Written while ADVANCING. */
  private volatile boolean mayAdvance = true;

  BriefRun(HostCompletion completion) {
    this.completion = completion;
  }

  /**
   * For a thread that has seen that the event has not fired; the device is bound. The operation may
   * fail meanwhile. Its memory stays borrowed until it is retired, for which it has to be claimed.
   */
  void advance() {
    if (mayAdvance && STATE.compareAndSet(this, State.OPEN, State.ADVANCING)) {
      try {
        if (ProgramCode.thrownBy(() -> mayAdvance = completion.advance()) != null) {
          mayAdvance = false;
        }
      } finally {
        state = State.OPEN;
      }
    }
  }

  /** For a host thread that has seen the event fire: whether it is to run the completion. */
  boolean claimInFlight() {
    return claim(State.CLAIMED);
  }

  /**
   * For the completion thread, which has taken the operation out of those in flight: whether it is
   * to run the completion, or to drop it. If not, a host thread has claimed it.
   */
  boolean claim() {
    return claim(State.LEFT);
  }

  private boolean claim(State to) {
    State found = tryClaim(to);
    for (int turn = 0; found == State.ADVANCING; turn++) {
      if (turn < PATIENT_TURNS) { // otherwise this thread would copy the piece
        Thread.onSpinWait();
      } else {
        Thread.yield(); // the other one may have lost its core
      }
      found = tryClaim(to);
    }
    return found == State.OPEN;
  }

  /** Returns the state before. It is read once: another part may begin behind a second look. */
  private State tryClaim(State to) {
    return (State) STATE.compareAndExchange(this, State.OPEN, to);
  }

  /**
   * For the completion thread, if it cannot {@link #claim}: whether the host thread has yet to end
   * the operation, and then has it retired.
   */
  boolean leave() {
    return STATE.compareAndSet(this, State.CLAIMED, State.LEFT);
  }

  /**
   * For the thread that has run the completion and settled the operation: whether it has to have
   * the operation retired.
   */
  boolean end() {
    return STATE.getAndSet(this, State.OVER) == State.LEFT;
  }
}
