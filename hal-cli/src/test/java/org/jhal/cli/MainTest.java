package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int hal(String... args) {
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  @Test
  void versionIsThatOfTheBuild() {
    int code = hal("version");
    assertAll(
        () -> assertEquals(0, code),
        () ->
            assertTrue(
                out.toString().matches("(?s)hal \\d+\\.\\d+\\.\\d+\\S*\\R.*"), out::toString),
        () -> assertEquals("", err.toString()));
  }

  @Test
  void anUnknownCommandIsWrongUsageAndIsNamed() {
    int code = hal("nosuch");
    assertAll(
        () -> assertEquals(2, code),
        () -> assertTrue(err.toString().contains("nosuch"), err::toString),
        () -> assertEquals("", out.toString()));
  }

  @Test
  void noCommandIsWrongUsage() {
    int code = hal();
    assertAll(
        () -> assertEquals(2, code),
        () -> assertTrue(err.toString().contains("a command is missing"), err::toString));
  }
}
