// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.util.ArrayList;
import java.util.List;
import org.jhal.recording.compare.Comparison;
import org.jhal.recording.compare.Elements;
import org.jhal.recording.compare.Finding;
import org.jhal.recording.compare.Noise;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/**
 * Runs the dispatches of a recording on two replicas, compares them, and ends the replay at the
 * first one whose results part. Used by one thread.
 */
final class ReplayComparison implements Replay.Dispatcher {
  private final Replica first;
  private final Replica second;
  private final Comparison comparison;
  private final int from; // the first operation whose dispatches are compared
  private final int to; // the first one after the last of them
  private final List<Comparison.Compared> compared = new ArrayList<>();
  private Step.@Nullable Operation last;

  /**
   * Compares the dispatches of the operations {@code from} up to before {@code to}.
   *
   * @param noise what one device may differ in from run to run
   * @param isLearning whether this fills {@code noise}, and finds nothing
   */
  ReplayComparison(
      Replica first,
      Replica second,
      Elements.Tolerance tolerance,
      int from,
      int to,
      Noise noise,
      boolean isLearning) {
    this.first = first;
    this.second = second;
    this.comparison = new Comparison(first.side(), second.side(), tolerance, noise, isLearning);
    this.from = from;
    this.to = to;
  }

  /** What was compared so far. */
  Comparison comparison() {
    return comparison;
  }

  /** All dispatches that were compared; the last one is what was found. */
  List<Comparison.Compared> compared() {
    return compared;
  }

  /** The first dispatch whose results part; null if there is none. */
  @Nullable Finding finding() {
    return compared.isEmpty() ? null : compared.get(compared.size() - 1).finding();
  }

  /** The operation of the last dispatch that was compared. */
  Step.@Nullable Operation last() {
    return last;
  }

  @Override
  public boolean dispatch(Step.Operation operation, int number, Action.Dispatch dispatch)
      throws InterruptedException {
    if (operation.index() < from || operation.index() >= to) {
      first.side().dispatch(dispatch);
      second.side().dispatch(dispatch);
      return operation.index() < to;
    }
    last = operation;
    compared.add(comparison.run(number, dispatch, false));
    return finding() == null;
  }
}
