package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A logger may throw, and then what comes behind the line would not be done. */
class EngineLogTest {
  private static final String ENGINE = "org.jhal.engine";
  private static final String LOG = ENGINE + ".queue.Failures";

  @Test
  void theEngineLogsByWhatDoesNotThrow() {
    List<String> others =
        Repository.classes("hal-utils").stream()
            .filter(type -> type.getPackageName().startsWith(ENGINE))
            .filter(type -> !type.getName().equals(LOG))
            .flatMap(type -> type.getMethodCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().getName().equals("java.lang.System$Logger"))
            .filter(call -> call.getName().equals("log"))
            .map(Object::toString)
            .toList();
    assertEquals(List.of(), others);
  }
}
