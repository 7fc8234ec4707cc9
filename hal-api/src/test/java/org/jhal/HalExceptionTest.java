// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class HalExceptionTest {
  @Test
  void aCopyKeepsTheMessageAndTheOrigin() {
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
    assertEquals("aCopyKeepsTheMessageAndTheOrigin", again.getStackTrace()[1].getMethodName());
  }

  @Test
  void aFailureThatIsCopiedOftenDoesNotGrow() {
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

  private static final NativeCode CODE = new NativeCode(700, "ILLEGAL_ADDRESS");
  private static final FailedOperation FILL = new FailedOperation("d-0-q1", 13, "fill");
  private static final FailedOperation COPY = new FailedOperation("d-0-q0", 14, "copy");

  @Test
  void namesTheOperationThatFailedFirstAndOnlyThat() {
    Exception cause = new IllegalStateException("cause");
    HalException plain = new HalException(Status.ABORTED, "oops", cause, CODE);
    plain.addSuppressed(new IllegalStateException("clean-up"));

    HalException failed = plain.of(FILL);

    assertNull(plain.operation());
    assertEquals(FILL, failed.operation());
    assertEquals("d-0-q1 operation 13 (fill): oops", failed.getMessage());
    assertEquals(Status.ABORTED, failed.status());
    assertSame(cause, failed.getCause());
    assertEquals(CODE, failed.nativeCode());
    assertArrayEquals(plain.getStackTrace(), failed.getStackTrace());
    assertArrayEquals(plain.getSuppressed(), failed.getSuppressed());
    assertSame(failed, failed.of(COPY));
    assertSame(failed.again().operation(), failed.again().again().of(COPY).operation());
    assertEquals(failed.toString(), failed.again().again().of(COPY).toString());
  }

  @Test
  void keepsTheNativeCodeThatHasCausedIt() {
    HalException first = new HalException(Status.UNAVAILABLE, "lost", null, CODE);
    HalException outer =
        new HalException(Status.ABORTED, "again", new IllegalStateException(first.again()));

    assertEquals(CODE, first.again().nativeCode());
    assertEquals(CODE, outer.again().of(FILL).nativeCode());
    assertEquals(CODE, outer.alone().nativeCode());
    assertNull(new HalException(Status.ABORTED, "oops", new IllegalStateException()).nativeCode());
    Exception circle = new IllegalStateException();
    Exception back = new IllegalStateException(circle);
    circle.initCause(back);
    assertNull(new HalException(Status.ABORTED, "oops", circle).nativeCode());
  }

  @Test
  void aNativeCodePrintsItsNumberAndItsName() {
    assertEquals("700 ILLEGAL_ADDRESS", CODE.toString());
    assertEquals("-5", new NativeCode(-5, null).toString());
  }

  @Test
  void survivesSerialisation() throws Exception {
    HalException failed =
        new HalException(Status.ABORTED, "oops", new IllegalStateException("cause"), CODE).of(FILL);
    for (HalException sent : List.of(failed, failed.again(), failed.alone())) {
      HalException read = read(written(sent));

      assertEquals(sent.toString(), read.toString());
      assertEquals(Status.ABORTED, read.status());
      assertEquals(FILL, read.operation());
      assertEquals(CODE, read.nativeCode());
      assertEquals(read.toString(), read.again().toString());
    }
  }

  @Test
  void copiesHaveTheFindings() throws Exception {
    KernelFinding finding =
        new KernelFinding(
            "races",
            "blur",
            "kernel blur reads what another writes",
            new KernelFinding.Place("blur.cu", 7, "\tout[i] = 1;", 1, 6),
            "item 3",
            null,
            "item 4",
            false,
            2);
    HalException wrong = HalException.ofFindings("wrong", List.of(finding));
    for (HalException each :
        List.of(
            wrong, wrong.of(FILL), wrong.again(), wrong.alone(), read(written(wrong.of(FILL))))) {
      assertEquals(List.of(finding), each.findings());
    }
    assertEquals(List.of(), new HalException(Status.ABORTED, "oops").findings());
    assertEquals(
        "races: kernel blur reads what another writes\n"
            + "  blur.cu:7: \tout[i] = 1;\n"
            + "             \t^~~~~~\n"
            + "  by item 3\n"
            + "  by item 4, and 1 times more",
        finding.toString());
  }

  private static byte[] written(HalException failure) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(failure);
    }
    return bytes.toByteArray();
  }

  private static HalException read(byte[] bytes) throws Exception {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (HalException) in.readObject();
    }
  }

  @Test
  void aloneDropsCausesAndSuppressedExceptions() {
    HalException failed =
        new HalException(Status.ABORTED, "oops", new IllegalStateException("cause"), CODE).of(FILL);
    failed.addSuppressed(new IllegalStateException("clean-up"));

    HalException alone = failed.alone();

    assertNull(alone.getCause());
    assertEquals(0, alone.getSuppressed().length);
    assertEquals(failed.toString(), alone.toString());
    assertEquals(FILL, alone.operation());
    assertArrayEquals(failed.getStackTrace(), alone.getStackTrace());
  }
}
