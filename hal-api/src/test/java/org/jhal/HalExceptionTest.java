package org.jhal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class HalExceptionTest {
  @Test
  void aFailureThatIsThrownAgainKeepsWhatItSaysAndWhereItCameFrom() {
    Exception cause = new IllegalStateException("cause");
    HalException first = new HalException(Status.ABORTED, "message", cause);

    HalException again = first.again();

    assertNotSame(first, again);
    assertEquals(Status.ABORTED, again.status());
    assertEquals("message", again.getMessage());
    assertSame(cause, again.getCause());
    assertEquals(1, again.getSuppressed().length);
    assertEquals(first.toString(), again.getSuppressed()[0].toString());
    assertArrayEquals(first.getStackTrace(), again.getSuppressed()[0].getStackTrace());
    assertEquals(
        "aFailureThatIsThrownAgainKeepsWhatItSaysAndWhereItCameFrom",
        again.getStackTrace()[1].getMethodName());
  }

  @Test
  void aFailureThatIsHandedOnOftenDoesNotGrow() {
    HalException first = new HalException(Status.ABORTED, "message");
    HalException last = first;
    for (int i = 0; i < 1_000; i++) {
      last = last.again();
    }

    assertEquals(1, last.getSuppressed().length);
    assertArrayEquals(first.getStackTrace(), last.getSuppressed()[0].getStackTrace());
    assertEquals(0, last.getSuppressed()[0].getSuppressed().length);
    assertEquals(0, first.getSuppressed().length);
  }

  @Test
  void aTraceEndsWithTheCauseAndShowsItOnce() {
    Exception cause = new IllegalStateException("cause");
    cause.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("Kernels", "fail", "Kernels.java", 7)});
    HalException first = new HalException(Status.ABORTED, "message", cause);
    first.addSuppressed(new IllegalStateException("clean-up"));
    StringWriter text = new StringWriter();

    first.again().again().printStackTrace(new PrintWriter(text, true));

    String trace = text.toString().strip();
    assertTrue(trace.endsWith("at Kernels.fail(Kernels.java:7)"), trace);
    assertEquals(2, trace.split("IllegalStateException: cause", -1).length, trace);
    assertTrue(trace.contains("Suppressed: java.lang.IllegalStateException: clean-up"), trace);
    assertFalse(trace.contains("CIRCULAR"), trace);
  }

  @Test
  void printsItsClassAndItsStatus() {
    HalException failure = new HalException(Status.OUT_OF_RANGE, "too much");
    assertEquals("org.jhal.HalException: OUT_OF_RANGE: too much", failure.toString());
    assertEquals(failure.toString(), failure.again().toString());
  }
}
