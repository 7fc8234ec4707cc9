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

/**
 * Runs the dispatches of a recording on two replicas, and compares them. Ends the replay at the
 * first one whose results part, or else keeps the first one of each kernel. Used by one thread.
 */
final class ReplayComparison implements Replay.Dispatcher {
  private final Replica first;
  private final Replica second;
  private final Comparison comparison;
  private final int from; // the first operation whose dispatches are compared
  private final int to; // the first one after the last of them
  private final boolean goesOn;
  private final List<Comparison.Compared> compared = new ArrayList<>();
  private final List<Found> found = new ArrayList<>();

  /** A dispatch whose results part, and its operation. */
  record Found(Step.Operation operation, Comparison.Compared compared, Finding finding) {}

  /**
   * Compares the dispatches of the operations {@code from} up to before {@code to}.
   *
   * @param goesOn whether the replay goes on behind a dispatch whose results part
   * @param noise what one device may differ in from run to run
   * @param isLearning whether this fills {@code noise}, and finds nothing
   */
  ReplayComparison(
      Replica first,
      Replica second,
      Elements.Tolerance tolerance,
      int from,
      int to,
      boolean goesOn,
      Noise noise,
      boolean isLearning) {
    this.first = first;
    this.second = second;
    this.comparison =
        new Comparison(first.side(), second.side(), tolerance, noise, isLearning, goesOn);
    this.from = from;
    this.to = to;
    this.goesOn = goesOn;
  }

  /** What was compared so far. */
  Comparison comparison() {
    return comparison;
  }

  /** All dispatches that were compared; only the first one of a kernel has its finding. */
  List<Comparison.Compared> compared() {
    return compared;
  }

  /** The first dispatch of each kernel whose results part, in the order of the recording. */
  List<Found> found() {
    return found;
  }

  @Override
  public boolean dispatch(
      Step.Operation operation, int number, Action.Dispatch dispatch, String label)
      throws InterruptedException {
    if (operation.index() < from || operation.index() >= to) {
      first.side().dispatch(dispatch);
      second.side().dispatch(dispatch);
      return operation.index() < to;
    }
    Comparison.Compared one = comparison.run(number, dispatch, false);
    compared.add(one);
    Finding finding = one.finding();
    if (finding == null) {
      return true;
    }
    found.add(new Found(operation, one, finding));
    return goesOn;
  }
}
