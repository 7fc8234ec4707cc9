package org.jhal.cts.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.jhal.cts.run.report.CodeHash;
import org.junit.jupiter.api.Test;

/** What a report contains about the code that was run. */
class FactCollectorTests {
  /** What drivers share may lie in a jar of its own. */
  @Test
  void theCodeThatADriverExtendsIsHashedToo() {
    class Shared extends org.opentest4j.AssertionFailedError {}
    class Own extends Shared {}
    class Plain {}
    Map<String, CodeHash> code = FactCollector.driverCode(Own.class);
    assertEquals(CodeHash.of(Own.class), code.get("driver"));
    assertEquals(CodeHash.of(org.opentest4j.AssertionFailedError.class), code.get("driver.base"));
    assertEquals(
        Map.of("driver", CodeHash.of(Shared.class)), FactCollector.driverCode(Plain.class));
  }
}
