package org.jhal.cts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

/** The suite's command line. */
class CtsToolTests {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    ToolProvider tool = ToolProvider.findFirst("hal-cts").orElseThrow();
    return tool.run(new PrintWriter(out), new PrintWriter(err), args);
  }

  private void assertUsage(String part, String... args) {
    assertEquals(2, run(args));
    assertTrue(err.toString().contains(part), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }

  @Test
  void helpDescribesEveryOption() {
    assertEquals(0, run("--help"));
    for (String option :
        new String[] {"--device", "--tests", "--repeat", "--seed", "--report", "--list"}) {
      assertTrue(out.toString().contains(option), option);
    }
  }

  @Test
  void listsTestsWithTheirRules() {
    assertEquals(0, run("--list", "--tests", "SemaphoreTest.jumps*"));
    assertEquals("SemaphoreTest.jumpsToWhatIsSignalled  [S1]", out.toString().strip());
  }

  @Test
  void aClassNameStandsForItsTests() {
    assertEquals(0, run("--list", "--tests", "SignalOrderTest"));
    assertTrue(out.toString().lines().count() > 5, out::toString);
    assertTrue(out.toString().lines().allMatch(line -> line.startsWith("SignalOrderTest.")));
  }

  @Test
  void theDeviceIsNeeded() {
    assertUsage("--device URI is missing");
  }

  @Test
  void anUnknownArgumentIsWrongUsage() {
    assertUsage("unknown argument '--devise'", "--devise", "mock");
  }

  @Test
  void aMissingValueIsWrongUsage() {
    assertUsage("--device needs a value", "--device");
  }

  @Test
  void aPatternThatMatchesNothingIsWrongUsage() {
    assertUsage("Nonsense matches no test", "--device", "x", "--tests", "Nonsense");
  }

  @Test
  void aNumberOutOfRangeIsWrongUsage() {
    assertUsage("--repeat 0: a number from 1", "--device", "x", "--repeat", "0");
  }

  @Test
  void aDeviceThatCannotBeOpenedFails() {
    assertEquals(4, run("--device", "nosuchdriver://0"));
    assertTrue(err.toString().contains("nosuchdriver"), err::toString);
    assertFalse(err.toString().contains("\tat "), "a stack trace");
  }
}
