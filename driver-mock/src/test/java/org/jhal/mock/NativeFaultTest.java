// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Native calls that fail, one position after the other, sticky and not: nothing hangs, nothing is
 * left behind, and every signal is reached or fails with that failure.
 *
 * <p>The sample takes seconds, the whole matrix, some 15 000 cases, minutes. A failure names its
 * case, and {@code -Djhal.fault=CASE} repeats only that one. {@code -Djhal.fault.seeds=N} sets how
 * many seeds the whole matrix is run with.
 */
class NativeFaultTest {
  private static final String ONE = "jhal.fault";

  /** How many polls are tried; a host thread makes as many as fit into its polling time. */
  private static final int MOST_POLLS = 16;

  private static final int MOST_FAILURES = 10;

  /** Whether the sample is larger; see the profile {@code long}. */
  private static final boolean MORE = Boolean.getBoolean("jhal.test.long");

  /** How many positions of each call are in the sample, if there are so many. */
  private static final int SPREAD = MORE ? 6 : 2;

  private static final int RANDOM_SEEDS = MORE ? 3 : 1;

  /** The first seed with {@link FaultCase#isAsked()}. */
  private static final long ASKED = 1;

  /** How often a run without a fault uses each call. */
  private static Map<String, Integer> positions(long seed) throws Exception {
    Map<String, Integer> uses = new TreeMap<>(FaultRun.count(seed));
    uses.computeIfPresent("queryEvent", (call, count) -> Math.min(count, MOST_POLLS));
    return uses;
  }

  @Test
  void theWorkloadMakesEveryCall() throws Exception {
    Set<String> unused = new TreeSet<>(MockDevice.newFaults().calls());
    // A host thread queries an event only where it comes before the completion thread.
    for (int i = 0; i < 5 && !unused.isEmpty(); i++) {
      unused.removeAll(positions(0).keySet());
      unused.removeAll(positions(ASKED).keySet());
    }
    assertEquals(Set.of(), unused, "calls that the workload does not make");
  }

  /**
   * Positions of each call from the first to the last, and some at random with random seeds. In the
   * smaller sample, the first one loses the device, and the last one does not.
   */
  static List<FaultCase> sample() throws Exception {
    List<FaultCase> cases = new ArrayList<>();
    String one = System.getProperty(ONE);
    if (one != null) {
      cases.add(FaultCase.parse(one));
      return cases;
    }
    positions(0).forEach((call, count) -> spread(cases, call, count, 0));
    spread(cases, "outcome", positions(ASKED).getOrDefault("outcome", 0), ASKED);
    for (int i = 0; i < RANDOM_SEEDS; i++) {
      long seed = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
      Random random = new Random(seed);
      positions(seed)
          .forEach(
              (call, count) -> {
                int nth = 1 + random.nextInt(count);
                cases.add(new FaultCase(call, nth, random.nextBoolean(), seed));
              });
    }
    return cases;
  }

  private static void spread(List<FaultCase> cases, String call, int count, long seed) {
    int spread = Math.min(SPREAD, count);
    for (int i = 0; i < spread; i++) {
      int nth = spread == 1 ? 1 : 1 + i * (count - 1) / (spread - 1);
      for (boolean isSticky : new boolean[] {false, true}) {
        if (MORE || spread == 1 || isSticky == (i == 0)) {
          cases.add(new FaultCase(call, nth, isSticky, seed));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sample")
  void aFailedCallFailsItsOperationAndLeavesNothing(FaultCase fault) throws Exception {
    FaultRun.run(fault);
  }

  static Stream<Long> seeds() {
    return LongStream.range(0, Long.getLong("jhal.fault.seeds", 24)).boxed();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  @Tag("exhaustive")
  void aFailureAtAnyPositionLeavesNothing(long seed) throws Exception {
    List<Throwable> failures = new ArrayList<>();
    int cases = 0;
    int happened = 0;
    for (Map.Entry<String, Integer> call : positions(seed).entrySet()) {
      for (int nth = 1; nth <= call.getValue() && failures.size() < MOST_FAILURES; nth++) {
        for (boolean isSticky : new boolean[] {false, true}) {
          cases++;
          try {
            happened += FaultRun.run(new FaultCase(call.getKey(), nth, isSticky, seed)) ? 1 : 0;
          } catch (AssertionError e) {
            failures.add(e);
          }
        }
      }
    }
    if (!failures.isEmpty()) {
      AssertionError all = new AssertionError(failures.size() + " of " + cases + " cases failed");
      failures.forEach(all::addSuppressed);
      throw all;
    }
    assertTrue(4 * happened > cases, happened + " faults happened in " + cases + " cases");
  }
}
