package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jhal.FailedOperation;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/** What is told of a failure: itself, perhaps as that of an operation, which it then names. */
public final class Told {
  private Told() {}

  /** Asserts that {@code seen} tells {@code expected}; null means success. */
  public static void assertTold(@Nullable HalException expected, @Nullable HalException seen) {
    assertTold(expected, seen, "what is told");
  }

  static void assertTold(
      @Nullable HalException expected, @Nullable HalException seen, String what) {
    if (expected == null) {
      assertNull(seen, what);
      return;
    }
    assertNotNull(seen, what);
    FailedOperation operation = seen.operation();
    String name = operation == null ? "" : operation + ": ";
    assertEquals(name + expected.getMessage(), seen.getMessage(), what);
    assertEquals(expected.status(), seen.status(), what);
  }
}
