// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.NativeBinding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;

/** What the binding does with and without the permission of the JVM, in processes of their own. */
class NativeAccessTest {
  private static final long DEADLINE_SECONDS = 60;

  @TempDir Path folder;

  /** The folders and jars of the classes that it uses. */
  private static String classPath() throws ClassNotFoundException, URISyntaxException {
    Set<String> places = new LinkedHashSet<>();
    for (Class<?> type :
        List.of(
            AccessMain.class,
            FfmBinding.class,
            NativeBinding.class,
            Lazy.class,
            Class.forName("com.google.common.util.concurrent.Uninterruptibles"),
            Status.class,
            ClassWriter.class)) {
      places.add(
          Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(File.pathSeparator, places);
  }

  /** The lines that it prints, warnings included. */
  private List<String> run(List<String> options, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(), AccessMain.class.getName()));
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      String text = Files.readString(output);
      assertTrue(ended, () -> "no end after " + DEADLINE_SECONDS + " s; it printed " + text);
      assertEquals(0, process.exitValue(), text);
      return text.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void withoutPermissionAutoLeavesTheBindingAloneAndTheJvmIsSilent() throws Exception {
    assertEquals(
        List.of(
            "obstacle: Java runs without --enable-native-access=ALL-UNNAMED", "auto: the driver's"),
        run(List.of()));
  }

  @Test
  void withPermissionItIsTakenAndTheJvmIsSilent() throws Exception {
    assertEquals(
        List.of("obstacle: null", "auto: ffm", "bound: true"),
        run(List.of("--enable-native-access=ALL-UNNAMED"), "bind"));
  }

  /** As on platforms for which the JVM has no linker. */
  @Test
  void withoutALinkerAutoLeavesTheBindingAlone() throws Exception {
    List<String> lines =
        run(
            List.of(
                "--enable-native-access=ALL-UNNAMED", "-Djdk.internal.foreign.CABI=UNSUPPORTED"),
            "bind");
    String reason = "this Java cannot call native functions: ";
    assertTrue(lines.get(0).startsWith("obstacle: " + reason), lines::toString);
    assertEquals("auto: the driver's", lines.get(1));
    assertTrue(lines.get(2).startsWith("UNAVAILABLE: " + reason), lines::toString);
    assertEquals(3, lines.size(), lines::toString);
  }

  @Test
  void aRefusalOfTheJvmIsReported() throws Exception {
    assumeTrue(Runtime.version().feature() >= 24, "older JVMs only warn");
    List<String> lines = run(List.of("--illegal-native-access=deny"), "bind");
    assertEquals("auto: the driver's", lines.get(1));
    assertTrue(
        lines.get(2).startsWith("UNAVAILABLE: ")
            && lines.get(2).contains("Java refuses to call native functions: "),
        lines::toString);
  }
}
