// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that exits while devices are open closes them before native runtimes end with it. */
class ExitTest {
  private static final long DEADLINE_SECONDS = 60;

  @TempDir Path folder;

  private String run(String way) throws IOException, InterruptedException {
    Path out = folder.resolve("out.txt");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ExitsWithDevices.class.getName(),
                way)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    boolean hasEnded = child.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
    child.destroyForcibly();
    String text = Files.readString(out, StandardCharsets.UTF_8);
    assertTrue(hasEnded, () -> "the JVM has not exited in " + DEADLINE_SECONDS + " s: " + text);
    assertEquals(7, child.exitValue(), text);
    return text;
  }

  private static List<String> calls(String text) {
    return text.lines().filter(line -> line.startsWith("native: ")).toList();
  }

  @Test
  void exitClosesOpenDevices() throws Exception {
    List<String> calls = calls(run("idle"));
    assertEquals(
        List.of("native: close of a stream", "native: close"),
        calls.subList(calls.size() - 2, calls.size()));
  }

  @Test
  void exitFailsParkedWorkAndAwaitsWorkInFlight() throws Exception {
    String text = run("working");
    assertTrue(text.contains("parked: CANCELLED"), text);
    assertTrue(text.contains("in flight: 1"), text);
    assertTrue(text.endsWith("native: close\n"), text);
  }

  @Test
  void exitAbandonsWorkThatNeverEnds() throws Exception {
    String text = run("hanging");
    assertTrue(text.contains("hanging: DEADLINE_EXCEEDED"), text);
    assertFalse(text.contains("native: close"), text);
  }

  @Test
  void aProgramThatAlwaysOpensAnotherDeviceEnds() throws Exception {
    assertTrue(run("reopening").contains("native: close\n"));
  }

  @Test
  void aThreadOfTheDeviceCanExitTheJvm() throws Exception {
    run("callback");
  }
}
