// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.support.Waits;

/**
 * The progress of a run. The thread that runs the tests writes it; the thread that waits for the
 * run closes it if the run does not end in time.
 *
 * <p>Thread-safe.
 */
final class RunRecord {
  private final int rounds;
  private final boolean isFailFast;
  private final Consumer<CtsReport.Entry> listener;
  private final Map<String, String> facts = new LinkedHashMap<>(); // guarded by this
  private final List<CtsReport.Entry> entries = new ArrayList<>(); // guarded by this
  private final Set<String> missing = new HashSet<>(); // tests of this round; guarded by this
  private int planned; // tests of this round; guarded by this
  private int round; // from 1; guarded by this

  /** The running steps, the innermost first. Never empty. Guarded by this. */
  private final Deque<RunStep> underWay = new ArrayDeque<>();

  private CtsReport.Ending ending = CtsReport.Ending.COMPLETE; // guarded by this
  private String end = "complete"; // guarded by this
  private boolean isClosed; // nothing is added after this; guarded by this

  /**
   * A record of a run that has not started.
   *
   * @param rounds how often everything is run
   * @param isFailFast whether to start no test after a failure
   * @param listener is called with each entry, by the thread that adds it
   */
  RunRecord(int rounds, boolean isFailFast, Consumer<CtsReport.Entry> listener) {
    this.rounds = rounds;
    this.isFailFast = isFailFast;
    this.listener = listener;
    underWay.push(RunStep.own("the search for tests"));
  }

  /** Adds a property of the device or of this process. */
  synchronized void addFact(String name, String value) {
    facts.put(name, value);
  }

  /** Starts a round of these tests. */
  synchronized void begin(Set<String> tests) {
    round++;
    planned = tests.size();
    missing.clear();
    missing.addAll(tests);
  }

  /** Starts a step within the current one. */
  synchronized void enter(RunStep step) {
    underWay.push(step);
  }

  /** Ends the current step, and returns it. */
  synchronized RunStep leave() {
    return underWay.pop();
  }

  /** Adds the result of a test. */
  void add(CtsReport.Entry entry) {
    synchronized (this) {
      if (isClosed) {
        return; // the test that hung at the deadline has ended after all
      }
      put(entry);
      if (isFailFast && entry.outcome() == CtsReport.Outcome.FAILED) {
        ending = CtsReport.Ending.FIRST_FAILURE;
        end = "after the first failure";
      }
    }
    listener.accept(entry);
  }

  private void put(CtsReport.Entry entry) {
    entries.add(entry);
    missing.remove(entry.test());
  }

  /** Closes the record at the deadline: the current step has failed. */
  void expire(Duration limit) {
    String state = Waits.state();
    CtsReport.Entry entry;
    synchronized (this) {
      RunStep step = underWay.element();
      close(
          CtsReport.Ending.DEADLINE,
          "at the deadline of " + limit.toSeconds() + " s, during " + step);
      String message =
          String.format(
              Locale.ROOT,
              "the run reached its deadline of %d s; this had been running for %.1f s%n%s",
              limit.toSeconds(),
              step.seconds(),
              state);
      entry = step.entry(CtsReport.Outcome.FAILED, message);
      put(entry);
    }
    listener.accept(entry);
  }

  /** Closes the record when the thread that waits for the run is interrupted. */
  synchronized void interrupt() {
    close(CtsReport.Ending.INTERRUPTED, "interrupted, during " + underWay.element());
  }

  private void close(CtsReport.Ending why, String how) {
    if (!isClosed) {
      isClosed = true;
      ending = why;
      end = how;
    }
  }

  /** Whether no further test may start. */
  synchronized boolean isOver() {
    return ending != CtsReport.Ending.COMPLETE;
  }

  /** The report of everything so far. */
  synchronized CtsReport report() {
    Map<String, String> all = new LinkedHashMap<>(facts);
    all.put("ended", ended());
    return new CtsReport(all, entries, ending);
  }

  private String ended() {
    if (ending == CtsReport.Ending.COMPLETE) {
      return end;
    }
    if (round == 0) {
      return end + "; no test was run";
    }
    return end
        + (rounds == 1 ? "" : ", in round " + round + " of " + rounds)
        + "; "
        + missing.size()
        + " of "
        + planned
        + " tests did not run";
  }
}
