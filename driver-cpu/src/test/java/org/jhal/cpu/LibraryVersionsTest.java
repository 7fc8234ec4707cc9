// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static java.lang.invoke.MethodType.methodType;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
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
import org.jhal.engine.EngineDevice;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs with other versions of Guava than this build; docs/using.md names the oldest one. */
class GuavaVersionsTest {
  private static final long SECONDS = 120;

  /** A method of Guava among the constants of a class, as javap prints it. */
  private static final Pattern CALL =
      Pattern.compile("Methodref +\\S+ +// (com/google/common/[\\w/$]+)\\.(\\w+):(\\S+)");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void aProgramRunsAndClosesItsDevices(String which) throws Exception {
    Path guava = guava(which);
    String others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.matches(".*guava-[0-9][^/\\\\]*\\.jar"))
            .collect(Collectors.joining(File.pathSeparator));
    assertNotEquals(System.getProperty("java.class.path"), others, "the class path has no Guava");
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

  /** Includes calls that the program above does not reach, such as those of native collectives. */
  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void guavaHasAllMethodsThatTheEngineCalls(String which) throws Exception {
    Matcher calls = CALL.matcher(constantsOfTheEngine());
    Set<String> checked = new TreeSet<>();
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {guava(which).toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      while (calls.find()) {
        Class<?> owner = Class.forName(calls.group(1).replace('/', '.'), false, loader);
        String name = calls.group(2);
        MethodType type = MethodType.fromMethodDescriptorString(calls.group(3), loader);
        assertTrue(
            Stream.of(owner.getMethods())
                .filter(method -> method.getName().equals(name))
                .map(method -> methodType(method.getReturnType(), method.getParameterTypes()))
                .anyMatch(type::equals),
            () -> owner + " has no method " + name + " with the type " + type);
        checked.add(name);
      }
    }
    assertTrue(checked.contains("awaitUninterruptibly"), () -> "calls found: " + checked);
  }

  /** The output of javap for the classes of the engine that use Guava. */
  private static String constantsOfTheEngine() throws Exception {
    Path engine =
        Path.of(EngineDevice.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> arguments = new ArrayList<>(List.of("-v", "-p", "-cp", engine.toString()));
    if (Files.isDirectory(engine)) {
      addUsersOfGuava(engine, arguments);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(engine)) {
        addUsersOfGuava(jar.getPath("/"), arguments);
      }
    }
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
    assertEquals(0, javap.run(out, out, arguments.toArray(String[]::new)), printed::toString);
    return printed.toString();
  }

  private static void addUsersOfGuava(Path root, List<String> names) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains("com/google/common/")) {
          String name = root.relativize(file).toString();
          names.add(name.substring(0, name.lastIndexOf('.')).replaceAll("[/\\\\]", "."));
        }
      }
    }
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
