package org.jhal.cts.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How far a run has come.
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
  private CtsReport.Ending ending = CtsReport.Ending.COMPLETE; // guarded by this

  /**
   * Of a run that has not begun.
   *
   * @param rounds how often everything is run
   * @param isFailFast whether no test is to begin after one has failed
   * @param listener is told of each entry, by the thread that adds it
   */
  RunRecord(int rounds, boolean isFailFast, Consumer<CtsReport.Entry> listener) {
    this.rounds = rounds;
    this.isFailFast = isFailFast;
    this.listener = listener;
  }

  /** Adds what is known of the device and of this process. */
  synchronized void addFacts(Map<String, String> more) {
    facts.putAll(more);
  }

  /** Begins a round, of these tests. */
  synchronized void begin(Set<String> tests) {
    round++;
    planned = tests.size();
    missing.clear();
    missing.addAll(tests);
  }

  /** Adds how a test ended. */
  void add(CtsReport.Entry entry) {
    synchronized (this) {
      entries.add(entry);
      missing.remove(entry.test());
      if (isFailFast && entry.outcome() == CtsReport.Outcome.FAILED) {
        ending = CtsReport.Ending.FIRST_FAILURE;
      }
    }
    listener.accept(entry);
  }

  /** Whether no further test is to begin. */
  synchronized boolean isOver() {
    return ending != CtsReport.Ending.COMPLETE;
  }

  /** What has been found so far. */
  synchronized CtsReport report() {
    Map<String, String> all = new LinkedHashMap<>(facts);
    all.put("ended", ended());
    return new CtsReport(all, entries, ending);
  }

  private String ended() {
    String unrun =
        (rounds == 1 ? "" : ", in round " + round + " of " + rounds)
            + "; "
            + missing.size()
            + " of "
            + planned
            + " tests did not run";
    return switch (ending) {
      case COMPLETE -> "complete";
      case FIRST_FAILURE -> "after the first failure" + unrun;
    };
  }
}
