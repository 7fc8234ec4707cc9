// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GivenNameTest {
  private final EngineSemaphore semaphore = new EngineSemaphore(0, () -> {});

  @Test
  void messagesHaveTheNameAndTheNumber() {
    assertEquals("semaphore#" + semaphore.number(), semaphore.toString());
    assertSame(semaphore, semaphore.named("x".repeat(100)));
    semaphore.named("ready to go");
    assertEquals("ready to go#" + semaphore.number(), semaphore.toString());
    HalException failure = assertThrows(HalException.class, () -> semaphore.signal(0));
    assertTrue(String.valueOf(failure.getMessage()).contains("ready to go#"), failure.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "two\nlines", "a\u0007bell", "102"})
  void aNameFitsIntoALine(String name) {
    String given = name.equals("102") ? "x".repeat(102) : name;
    HalException failure = assertThrows(HalException.class, () -> semaphore.named(given));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    assertTrue(
        String.valueOf(failure.getMessage()).contains("name of a semaphore: 1 to 100 characters"),
        failure.getMessage());
    assertEquals("semaphore#" + semaphore.number(), semaphore.toString());
  }
}
