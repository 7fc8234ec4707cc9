// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.jhal.cts.run.report.CodeHash;
import org.junit.jupiter.api.Test;

/** The facts in a report about the tested code. */
class FactCollectorTests {
  /** Shared code of drivers may be in a separate jar. */
  @Test
  void theSuperclassesOfADriverAreHashedToo() {
    class Shared extends org.opentest4j.AssertionFailedError {}
    class Own extends Shared {}
    class Plain {}
    Map<String, CodeHash> code = FactCollector.driverCode(Own.class);
    assertEquals(CodeHash.of(Own.class), code.get("driver"));
    assertEquals(CodeHash.of(org.opentest4j.AssertionFailedError.class), code.get("driver.base"));
    assertEquals(
        Map.of("driver", CodeHash.of(Shared.class)), FactCollector.driverCode(Plain.class));
  }

  /** A driver that does not use the engine of JHAL need not have what goes with it. */
  @Test
  void whatIsThereBesideTheEngineIsHashed() {
    Class<?> there = org.opentest4j.AssertionFailedError.class;
    assertEquals(
        Map.of("there", CodeHash.of(there)),
        FactCollector.codeBesides(
            there.getClassLoader(), Map.of("there", there.getName(), "missing", "no.such.Class")));
  }
}
