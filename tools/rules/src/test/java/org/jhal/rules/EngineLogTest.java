// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A logger may throw, and then the code after the call would not run. */
class EngineLogTest {
  private static final String ENGINE = "org.jhal.engine";
  private static final String LOG = ENGINE + ".timeline.Failures";

  @Test
  void theEngineLogsOnlyThroughFailures() {
    List<String> others =
        Stream.concat(
                Repository.classes("hal-utils").stream()
                    .filter(type -> type.getPackageName().startsWith(ENGINE)),
                Repository.classes("hal-collectives").stream())
            .filter(type -> !type.getName().equals(LOG))
            .flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().getName().equals("java.lang.System$Logger"))
            .filter(call -> call.getName().equals("log"))
            .map(Object::toString)
            .toList();
    assertEquals(List.of(), others);
  }
}
