// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jhal.FailedOperation;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/** Compares failures that may have been named after the operation that failed. */
public final class FailureAssert {
  private FailureAssert() {}

  /** Asserts that {@code seen} is {@code expected}, perhaps of an operation; null means success. */
  public static void assertFailure(@Nullable HalException expected, @Nullable HalException seen) {
    assertFailure(expected, seen, "failure");
  }

  static void assertFailure(
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
