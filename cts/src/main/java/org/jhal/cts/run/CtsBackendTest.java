// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/** Tests of the suite itself: no opt-out is stale, and every rule has a test. */
@CtsSuite
class CtsBackendTest {
  @Test
  void everyOptOutNamesATestAndAReason(Cts cts) {
    Set<String> tests =
        CtsCatalog.tests().stream().map(e -> e.name().toString()).collect(Collectors.toSet());
    List<String> wrong = new ArrayList<>();
    Set<String> seen = new TreeSet<>();
    for (CtsBackend.Unsupported one : cts.backend().unsupported()) {
      check(tests, seen, wrong, one.test(), one.reason());
    }
    for (CtsBackend.ExpectedFailure one : cts.backend().expectedFailures()) {
      check(tests, seen, wrong, one.test(), one.reason());
      if (one.fix().isBlank()) {
        wrong.add(one.test() + " does not say what would fix it");
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static void check(
      Set<String> tests, Set<String> seen, List<String> wrong, String test, String reason) {
    if (!tests.contains(test)) {
      wrong.add(test + " is opted out of, but there is no such test");
    }
    if (reason.isBlank()) {
      wrong.add(test + " is opted out of without a reason");
    }
    if (!seen.add(test)) {
      wrong.add(test + " is opted out of twice");
    }
  }

  @Test
  void everyRuleHasATest() {
    Set<String> cited =
        CtsCatalog.tests().stream().flatMap(e -> e.rules().stream()).collect(Collectors.toSet());
    Set<String> rules = CtsCatalog.contract().keySet();
    Set<String> untested = new TreeSet<>(rules);
    untested.removeAll(cited);
    untested.removeIf(rule -> rule.startsWith("K")); // benchmarks cover costs
    assertEquals(Set.of(), untested, "rules of docs/contract.md that no test cites");
    Set<String> unknown = new TreeSet<>(cited);
    unknown.removeAll(rules);
    assertEquals(Set.of(), unknown, "cited rules that docs/contract.md does not have");
  }
}
