package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What a command did, as its caller sees it.
 *
 * @param exitCode of the process
 * @param out what it wrote to stdout
 * @param err what it wrote to stderr
 */
record Outcome(int exitCode, String out, String err) {
  /** Runs {@code hal} with these arguments. */
  static Outcome hal(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), args);
    return new Outcome(exitCode, out.toString(), err.toString());
  }

  /** It succeeded and complained about nothing. */
  Outcome succeeded() {
    assertEquals(0, exitCode, this::toString);
    assertEquals("", err, this::toString);
    return this;
  }

  /** It failed with one line that has all of {@code words}, and printed no result. */
  Outcome failed(int expectedCode, String... words) {
    assertEquals(expectedCode, exitCode, this::toString);
    assertEquals("", out, this::toString);
    assertTrue(err.matches("hal: [A-Z_]+: [^\\r\\n]+\\R"), this::toString);
    for (String word : words) {
      assertTrue(err.contains(word), () -> "no '" + word + "' in " + this);
    }
    return this;
  }
}
