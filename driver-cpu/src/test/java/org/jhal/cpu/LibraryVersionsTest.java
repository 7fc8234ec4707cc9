// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static java.lang.invoke.MethodType.methodType;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
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
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HostCall;
import org.jhal.HostMemory;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.engine.EngineDevice;
import org.jhal.gpu.GpuDriver;
import org.jhal.kernels.bundle.Manifest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs with other versions of Guava, Gson and JNA than this build. docs/using.md names the
 * oldest and the newest ones. The build copies them into a folder each.
 */
@NeedsCompiler
class LibraryVersionsTest {
  private static final long SECONDS = 120;

  /** The beginning of the name of each class of the libraries. */
  private static final Pattern LIBRARY =
      Pattern.compile("com/(?:google/common|google/gson|sun/jna)/");

  /** A method of a library among the constants of a class, as javap prints it. */
  private static final Pattern CALL =
      Pattern.compile("Methodref +\\S+ +// (" + LIBRARY + "[\\w/$]+)\\.(\\w+):(\\S+)");

  /** The jar of a library on a class path. */
  private static final Pattern JAR = Pattern.compile(".*(?:guava|gson|jna)-[0-9][^/\\\\]*\\.jar");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void aProgramRunsAndClosesItsDevices(String which) throws Exception {
    List<Path> jars = jars(which);
    List<String> classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).toList();
    List<String> others =
        classPath.stream().filter(entry -> !JAR.matcher(entry).matches()).toList();
    assertEquals(jars.size(), classPath.size() - others.size(), () -> "libraries of " + classPath);
    String all =
        Stream.concat(jars.stream().map(Path::toString), others.stream())
            .collect(Collectors.joining(File.pathSeparator));
    Path said = folder.resolve("said.txt");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            all,
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
    String names =
        jars.stream().map(jar -> jar.getFileName().toString()).collect(Collectors.joining(" "));
    List<String> lines = Files.readAllLines(said); // newer JVMs warn of what old libraries do
    assertFalse(lines.isEmpty(), () -> "nothing was printed by " + command);
    assertEquals(names + ": -7, closed", lines.get(lines.size() - 1), lines::toString);
    assertEquals(0, process.exitValue());
  }

  /** Includes calls that the program above does not reach, such as those of native collectives. */
  @ParameterizedTest
  @ValueSource(strings = {"oldest", "newest"})
  void librariesHaveAllMethodsThatAreCalled(String which) throws Exception {
    Set<String> checked = new TreeSet<>();
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars(which)) {
      urls.add(jar.toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      for (Class<?> inside :
          List.of(Manifest.class, EngineDevice.class, GpuDriver.class, CpuDriverProvider.class)) {
        Matcher calls = CALL.matcher(constants(inside));
        while (calls.find()) {
          Class<?> owner = Class.forName(calls.group(1).replace('/', '.'), false, loader);
          String name = calls.group(2);
          MethodType type = MethodType.fromMethodDescriptorString(calls.group(3), loader);
          assertTrue(
              name.equals("<init>") ? hasConstructor(owner, type) : hasMethod(owner, name, type),
              () -> owner + " has no method " + name + " with the type " + type);
          checked.add(name);
        }
      }
    }
    assertTrue(
        checked.containsAll(List.of("awaitUninterruptibly", "setStrictness", "getFunction")),
        () -> "calls found: " + checked);
  }

  /** Whether a call finds the method, in the type or in one that it inherits from. */
  private static boolean hasMethod(@Nullable Class<?> owner, String name, MethodType type) {
    if (owner == null) {
      return false;
    }
    for (Method method : owner.getDeclaredMethods()) { // a subclass may call a protected one
      boolean isAccessible = (method.getModifiers() & Modifier.PRIVATE) == 0;
      MethodType found = methodType(method.getReturnType(), method.getParameterTypes());
      if (isAccessible && method.getName().equals(name) && found.equals(type)) {
        return true;
      }
    }
    return hasMethod(owner.getSuperclass(), name, type)
        || Stream.of(owner.getInterfaces()).anyMatch(each -> hasMethod(each, name, type));
  }

  private static boolean hasConstructor(Class<?> owner, MethodType type) {
    return Stream.of(owner.getDeclaredConstructors())
        .filter(made -> (made.getModifiers() & Modifier.PRIVATE) == 0)
        .anyMatch(made -> methodType(void.class, made.getParameterTypes()).equals(type));
  }

  /** The output of javap for the classes that use a library, in the jar or folder of a class. */
  private static String constants(Class<?> inside) throws Exception {
    Path code = Path.of(inside.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> arguments = new ArrayList<>(List.of("-v", "-p", "-cp", code.toString()));
    if (Files.isDirectory(code)) {
      addUsers(code, arguments);
    } else {
      try (FileSystem jar = FileSystems.newFileSystem(code)) {
        addUsers(jar.getPath("/"), arguments);
      }
    }
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed);
    ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
    assertEquals(0, javap.run(out, out, arguments.toArray(String[]::new)), printed::toString);
    return printed.toString();
  }

  private static void addUsers(Path root, List<String> names) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        if (LIBRARY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1)).find()) {
          String name = root.relativize(file).toString();
          names.add(name.substring(0, name.lastIndexOf('.')).replaceAll("[/\\\\]", "."));
        }
      }
    }
  }

  /** The jars of Gson, Guava and JNA, in this order. */
  private static List<Path> jars(String which) throws IOException {
    Path folder = Path.of(System.getProperty("jhal.test.versions", "target/versions"), which);
    assertTrue(Files.isDirectory(folder), () -> "the build has not put jars into " + folder);
    try (Stream<Path> found = Files.list(folder)) {
      List<Path> jars = found.sorted().toList();
      assertEquals(3, jars.size(), jars::toString);
      return jars;
    }
  }

  /** Uses a device, closes it, and leaves another one to the shutdown hook. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      int[] numbers = new int[64];
      try (Device device = Hal.openDevice("cpu");
          Executable kernels = device.loadExecutable(CtsKernels.bundle());
          Sequence steps = device.createSequence();
          DeviceBuffer from = device.allocate(ElementType.I32, 64);
          DeviceBuffer to = device.allocate(ElementType.I32, 64)) {
        QueueSteps queue = steps.on(device.queue(0));
        queue.fill(from, FillPattern.of(7));
        queue.dispatch(kernels.kernel("negate"), Workgroups.of(64), Args.of(from, to));
        queue.readback(to, HostMemory.of(numbers));
        queue.hostCall(HostCall.Mode.BLOCKING, context -> {}).awaitAll(Duration.ofMinutes(1));
        device.queue(0).barrier(Fence.NONE, Fence.NONE);
        Thread other = new Thread(device::close); // one of the two waits for the other
        other.start();
        device.close();
        other.join();
      }
      Hal.openDevice("cpu");
      StringBuilder names = new StringBuilder();
      for (String library : List.of("gson.Gson", "common.util.concurrent.Uninterruptibles")) {
        names.append(jar("com.google." + library)).append(' ');
      }
      System.out.println(names + jar("com.sun.jna.Native") + ": " + numbers[63] + ", closed");
    }

    private static String jar(String name) throws ClassNotFoundException {
      Class<?> found = Class.forName(name);
      String jar = found.getProtectionDomain().getCodeSource().getLocation().toString();
      return jar.substring(jar.lastIndexOf('/') + 1);
    }
  }
}
