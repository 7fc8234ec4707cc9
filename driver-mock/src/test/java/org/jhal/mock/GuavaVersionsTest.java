package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs with another version of Guava than this build's; docs/using.md names the oldest one. */
class GuavaVersionsTest {
  private static final long SECONDS = 120;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void aProgramRunsAndClosesItsDevices(String which) throws Exception {
    Path guava = guava(which);
    String others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.matches(".*guava-[0-9][^/\\\\]*\\.jar"))
            .collect(Collectors.joining(File.pathSeparator));
    assertNotEquals(System.getProperty("java.class.path"), others, "no Guava to replace");
    Path said = folder.resolve("said.txt");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            guava + File.pathSeparator + others,
            Program.class.getName());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertTrue(
          process.waitFor(SECONDS, TimeUnit.SECONDS),
          () -> "waited " + SECONDS + " s for this to end: " + command);
    } finally {
      process.destroyForcibly();
    }
    assertEquals(guava.getFileName() + ": 7, closed", Files.readString(said).strip());
    assertEquals(0, process.exitValue());
  }

  private static Path guava(String which) throws IOException {
    Path jars = Path.of(System.getProperty("jhal.test.guava", "target/guava"), which);
    assertTrue(Files.isDirectory(jars), () -> "the build has not put a jar into " + jars);
    try (Stream<Path> found = Files.list(jars)) {
      return found.findAny().orElseThrow();
    }
  }

  /** Uses a device, closes it, and leaves another one to the shutdown hook. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      byte[] bytes = new byte[64];
      try (Device device = Hal.openDevice("mock");
          Sequence steps = device.createSequence();
          DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
        steps.step(
            (wait, signal) ->
                device.queue(0).fill(wait, signal, buffer, 0, 64, FillPattern.of8(7)));
        steps.step(
            (wait, signal) ->
                device.queue(0).readback(wait, signal, buffer, 0, HostMemory.of(bytes)));
        steps
            .step(
                (wait, signal) ->
                    device.queue(0).hostCall(wait, signal, HostCall.Mode.BLOCKING, context -> {}))
            .awaitAll(Duration.ofMinutes(1));
        device.queue(0).barrier(Fence.NONE, Fence.NONE);
        Thread other = new Thread(device::close); // one of the two waits for the other
        other.start();
        device.close();
        other.join();
      }
      Device unused = Hal.openDevice("mock");
      Class<?> guava = Class.forName("com.google.common.util.concurrent.Uninterruptibles");
      String jar = guava.getProtectionDomain().getCodeSource().getLocation().toString();
      String name = jar.substring(jar.lastIndexOf('/') + 1);
      System.out.println(name + ": " + bytes[63] + ", closed");
    }
  }
}
