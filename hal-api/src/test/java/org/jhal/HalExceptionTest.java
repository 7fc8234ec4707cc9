package org.jhal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

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
    assertArrayEquals(new Throwable[] {first}, again.getSuppressed());
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

    assertArrayEquals(new Throwable[] {first}, last.getSuppressed());
    assertEquals(0, first.getSuppressed().length);
  }

  @Test
  void printsItsStatus() {
    assertEquals(
        "OUT_OF_RANGE: too much", new HalException(Status.OUT_OF_RANGE, "too much").toString());
  }
}
