// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.PoolRequest.OverBudget;

/**
 * The part of an {@link EnginePool}'s budget for one alloca: it is granted before the alloca is
 * issued, held while there is memory, and then given back.
 *
 * <p>Thread-safe.
 */
public final class PoolCharge {
  /** Changed with the pool's lock held. */
  enum State {
    NEW,
    /** In the pool's line. */
    WAITING,
    /** It counts, and there is no memory yet. */
    GRANTED,
    /** It counts, and there is memory. */
    HELD,
    /** It does not count, and never will. */
    ENDED
  }

  final EnginePool pool;
  final long bytes;

  State state = State.NEW; // the pool's, guarded by its lock

  /** A part that is not asked for yet. */
  public PoolCharge(EnginePool pool, long bytes) {
    this.pool = pool;
    this.bytes = bytes;
  }

  /** Whether {@link #admit} is to be called before {@link #take}. */
  public boolean mayWait() {
    return pool.request().overBudget() == OverBudget.WAIT;
  }

  /**
   * Asks for it, or waits in the pool's line. Called once.
   *
   * @param granted called once when it is granted later, with no lock held, unless it ends before
   * @param cancelled called instead if the pool is closed
   * @return false if it waits; otherwise, {@link #take} can be called
   */
  public boolean admit(Runnable granted, Consumer<HalException> cancelled) {
    return pool.admit(this, new EnginePool.Waiter(granted, cancelled));
  }

  /**
   * Takes it, unless it was granted before.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there is too little left; CANCELLED if the pool is
   *     closed, or the charge has ended
   */
  public void take() {
    pool.take(this);
  }

  /** There is memory. */
  void hold() {
    pool.hold(this);
  }

  /** There is no memory any more. May be called again. */
  void end() {
    pool.end(this, true);
  }

  /** The alloca has failed. If it has made memory, that goes on to count. May be called again. */
  public void endUnlessHeld() {
    pool.end(this, false);
  }

  /** The end of a message about the alloca. */
  public String describe() {
    return pool.describe(this);
  }
}
