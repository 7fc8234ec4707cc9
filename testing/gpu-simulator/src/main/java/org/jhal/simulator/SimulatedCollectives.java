// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Controls the collectives of a simulated driver library, which are called through a library of
 * {@link SimulatedLibrary#collectives}, and reports what happened in them.
 *
 * <p>A rank's part of a group is work in its stream. It begins when the stream comes to it, waits
 * until the parts of all ranks have begun, and ends with them; or by itself and without an error,
 * when its communicator is aborted. An abort returns when all parts of its rank are over; those whose
 * turn has not come in their streams end when it comes.
 *
 * <p>Functions are named as the library exports them, such as {@code ncclAllReduce}. Two points in
 * {@code ncclGroupEnd} have names too: {@code @launch} is the launch of one rank's part, and {@code
 * @gap} lies between those of two ranks. On a real device, some calls of the driver wait for its
 * work while they hold a lock that launches need. Such a call does the same here while a group is
 * launched in part: then the launch of the group never completes. It also counts as a misuse.
 *
 * <p>{@link Simulator#reset} resets all of this, and releases everything that hangs.
 *
 * <p>Thread-safe: any thread may call anything.
 */
public final class SimulatedCollectives {
  private static final String GAP = "@gap";
  private static final long FOR_EVER = -1;

  private final Simulator simulator;

  private SimulatedCollectives(Simulator simulator) {
    this.simulator = simulator;
  }

  /** The controls of the collectives of a driver library. */
  public static SimulatedCollectives of(Simulator simulator) {
    return new SimulatedCollectives(simulator);
  }

  /** Prevents the parts of a rank, of all communicators, from beginning. Their streams wait. */
  public void stall(int rank) {
    stall(rank, 1);
  }

  /** Lets the parts of a rank begin. */
  public void go(int rank) {
    stall(rank, 0);
  }

  private void stall(int rank, int stalls) {
    simulator.function("gpusim_collective_stall").invokeVoid(new Object[] {rank, stalls});
  }

  /**
   * Makes the nth use from now on, 1 being the next, return a code without any effect; {@code
   * ncclGroupEnd} ends the group anyway. A failed {@code @launch} ends {@code ncclGroupEnd}, and
   * leaves the parts that were launched before it.
   *
   * @param code one of the library of collectives
   */
  public void fail(String function, int nth, int code) {
    simulator.fail(function, nth, code);
  }

  /** Makes each use of a function hang before it does anything, until {@link #release(String)}. */
  public void hang(String function) {
    hangFor(function, FOR_EVER);
  }

  /** Makes uses of a function that begin within a time hang until that is over. */
  public void hang(String function, Duration time) {
    hangFor(function, Math.max(1, time.toNanos()));
  }

  /** Makes {@code ncclCommAbort} hang for one rank, before it does anything. */
  public void hangAbort(int rank) {
    hang("ncclCommAbort", rank);
  }

  /**
   * Makes an action of one rank hang, until {@link #release(String, int)}.
   *
   * @param point {@code ncclCommAbort} or {@code ncclCommDestroy}; or after the calls, {@code
   *     @init}, so that its communicator is never ready, or {@code @finalize}, so that it never
   *     ends
   */
  public void hang(String point, int rank) {
    hang(point + " " + rank);
  }

  /** Lets the action of one rank continue. */
  public void release(String point, int rank) {
    release(point + " " + rank);
  }

  /** Lets the aborts of a rank continue. */
  public void releaseAbort(int rank) {
    release("ncclCommAbort", rank);
  }

  /** Lets a function continue. */
  public void release(String function) {
    hangFor(function, 0);
  }

  private void hangFor(String function, long nanos) {
    simulator.function("gpusim_collective_hang").invokeVoid(new Object[] {function, nanos});
  }

  /** Sets how long the launches of two ranks of a group lie apart; zero at first. */
  public void launchGap(Duration time) {
    simulator.delay(GAP, time);
  }

  /** Stops groups between the launches of two ranks, until {@link #closeGap}. */
  public void openGap() {
    hang(GAP);
  }

  /** Lets the launches of groups complete. */
  public void closeGap() {
    release(GAP);
  }

  /** Whether a group is launched in part, with a part that is not over. */
  public boolean isHalfLaunched() {
    return simulator.function("gpusim_collective_half").invokeInt(new Object[0]) != 0;
  }

  /**
   * Sets the asynchronous error that the live communicators of a rank return when they are asked; 0
   * clears it.
   */
  public void asynchronousError(int rank, int code) {
    simulator.function("gpusim_collective_error").invokeVoid(new Object[] {rank, code});
  }

  /** How often each function was called; those with 0 are absent. */
  public Map<String, Long> calls() {
    Map<String, Long> calls = simulator.calls();
    calls.keySet().removeIf(name -> !name.startsWith("nccl"));
    return calls;
  }

  /** Misuses of the driver or of collectives: {@link Simulator#misuses}. */
  public List<String> misuses() {
    return simulator.misuses();
  }

  /** How many communicators were neither destroyed nor aborted. */
  public long live() {
    return simulator.live().getOrDefault("communicator", 0L);
  }

  /** How many parts of ranks are in graphs: those of a group count once for each rank. */
  public long captured() {
    return simulator.function("gpusim_collective_captured").invokeLong(new Object[0]);
  }

  /**
   * How many groups with calls of ranks have ended, and were launched or failed, or were launched
   * as graphs.
   */
  public long launches() {
    return simulator.function("gpusim_collective_launches").invokeLong(new Object[0]);
  }

  /** How many parts their streams have reached, including stalled ones. */
  public long reached() {
    return simulator.function("gpusim_collective_reached").invokeLong(new Object[0]);
  }

  /** How many parts were ended by an abort, with nothing computed. */
  public long aborted() {
    return simulator.function("gpusim_collective_aborted").invokeLong(new Object[0]);
  }
}
