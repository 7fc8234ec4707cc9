package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hal cts} on a device. */
class CtsToolTest {
  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    ToolProvider tool = ToolProvider.findFirst("hal-cts").orElseThrow();
    return tool.run(new PrintWriter(out), new PrintWriter(out), arguments);
  }

  @Test
  void whatPassesIsReported(@TempDir Path folder) throws IOException {
    assertEquals(
        0,
        run("--device", "mock", "--tests", "SemaphoreTest.jumps*", "--report", folder.toString()),
        out::toString);
    String json = Files.readString(folder.resolve("report.json"));
    assertTrue(json.contains("\"ended\": \"complete\""), json);
    assertTrue(json.contains("\"test\": \"SemaphoreTest.jumpsToWhatIsSignalled\""), json);
  }

  /** So many repetitions have no end. */
  @Test
  void aRunThatIsGivenUpStillWritesItsReport(@TempDir Path folder) throws IOException {
    assertEquals(
        5,
        run(
            "--device",
            "mock",
            "--tests",
            "SemaphoreTest",
            "--repeat",
            "1000000",
            "--timeout",
            "4",
            "--report",
            folder.toString()),
        out::toString);
    String json = Files.readString(folder.resolve("report.json"));
    assertTrue(json.contains("\"ended\": \"at the deadline of 4 s, during "), json);
    assertTrue(json.contains("the run reached its deadline of 4 s"), json);
    assertTrue(json.contains("cts-run"), json);
    assertTrue(Files.readString(folder.resolve("report.xml")).contains("<failure message="), json);
    assertTrue(out.toString().contains("ended         at the deadline of 4 s"), out::toString);
  }
}
