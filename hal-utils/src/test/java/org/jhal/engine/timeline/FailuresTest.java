// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.System.Logger.Level;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.queue.Quiet;
import org.junit.jupiter.api.Test;

/** What is made of anything that is thrown: always a failure, and always a line in the log. */
public class FailuresTest {
  /** An exception that throws when it is asked what it is. */
  public static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError("it has no words");
    }
  }

  @Test
  void aFailureStaysItself() {
    HalException failure = new HalException(Status.DATA_LOSS, "fault");
    assertSame(failure, Failures.of(failure));
    assertSame(failure, Failures.aborted("the work failed: ", failure));
    assertEquals("DATA_LOSS: fault", Failures.describe(failure));
  }

  @Test
  void anythingElseIsTheCause() {
    Error error = new AssertionError("wrong");
    HalException failure = Failures.aborted("the work failed: ", error);
    assertEquals(Status.ABORTED, failure.status());
    assertEquals("the work failed: " + error, failure.getMessage());
    assertSame(error, failure.getCause());
    assertEquals(Status.INTERNAL, Failures.of(error).status());
  }

  /** As the cause, it would throw again when the failure is printed. */
  @Test
  void anIndescribableThrowableIsReportedByItsClass() {
    HalException failure = Failures.aborted("the work failed: ", new Mute());
    assertEquals("the work failed: " + Mute.class.getName(), failure.getMessage());
    assertNull(failure.getCause());
    String described = Failures.describe(new Mute());
    assertTrue(described.contains(Mute.class.getName()), described);
  }

  @Test
  void anUnprintableThrowableIsLoggedByItsClass() {
    System.Logger logger = System.getLogger(FailuresTest.class.getName());
    try (Quiet log = new Quiet()) {
      Failures.log(logger, Level.ERROR, "the work failed", new Mute());
      assertEquals(1, log.count(Mute.class.getName()), () -> "lines: " + log.lines());
      Failures.log(logger, Level.ERROR, "the work failed", new AssertionError("wrong"));
      assertEquals(2, log.count("the work failed"), () -> "lines: " + log.lines());
    }
  }
}
