// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process ends by itself, whether or not it has closed its devices. */
@Timeout(120)
class ExitTest {
  private static final long DEADLINE_SECONDS = 60;

  /** The process. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
      Device device = Hal.openDevice("vulkan");
      try (DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
        device.queue(0).blocking().fill(buffer, FillPattern.of(7));
      }
      if (arguments[0].equals("closed")) {
        device.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "closed"})
  void aProcessEnds(String state, @TempDir Path folder) throws IOException, InterruptedException {
    var unused = OpenVulkan.driver(); // skips the test without a device
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> new File(entry).getAbsolutePath())
            .collect(Collectors.joining(File.pathSeparator));
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    classPath,
                    Main.class.getName(),
                    state))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS),
          () ->
              "a process with a device " + state + " has not ended in " + DEADLINE_SECONDS + " s");
      assertEquals(0, process.exitValue(), Files.readString(log));
    } finally {
      process.destroyForcibly();
    }
  }
}
