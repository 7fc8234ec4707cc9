// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Native;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A library that needs executable stacks removes the guard pages of Java threads. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the stacks of other systems are not touched")
class StackGuardsTest {
  private static final long DEADLINE_SECONDS = 60;

  @TempDir private Path folder;

  private Path library(String name, String... options) throws Exception {
    Path source = Files.writeString(folder.resolve("library.c"), "int answer(void) { return 42; }");
    Path made = folder.resolve(name);
    List<String> command =
        Stream.concat(
                Stream.of("gcc", "-shared", "-fPIC", "-o", made.toString(), source.toString()),
                Stream.of(options))
            .toList();
    try {
      assertEquals("", run(command, 0));
    } catch (IOException e) {
      assumeTrue(false, "there is no gcc to build a library with: " + e.getMessage());
    }
    return made;
  }

  private String run(List<String> command, int expected) throws Exception {
    Path output = Files.createTempFile(folder, "child", ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS),
          () -> command + " has not ended after " + DEADLINE_SECONDS + " s");
      String text = Files.readString(output);
      assertEquals(expected, process.exitValue(), text);
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void detectsALibraryThatNeedsAnExecutableStack(boolean otherwise) throws Exception {
    Path wants = library("wants.so", "-z", "execstack");
    Path wantsNot = library("wantsnot.so", "-z", "noexecstack");
    assertTrue(StackGuards.wantsExecutableStack(wants, otherwise));
    assertFalse(StackGuards.wantsExecutableStack(wantsNot, otherwise));
    Path text = Files.writeString(folder.resolve("text.so"), "text");
    byte[] whole = Files.readAllBytes(wants);
    Path damaged = Files.write(folder.resolve("cut.so"), Arrays.copyOf(whole, 100));
    for (Path unknown : List.of(folder.resolve("none.so"), text, damaged)) {
      assertEquals(otherwise, StackGuards.wantsExecutableStack(unknown, otherwise));
    }
  }

  /** A setting is somebody's choice; other places are only looked at. */
  @Test
  void onlyALibraryOfASettingIsLoadedIfItWantsExecutableStacksAndThereIsNoDevice()
      throws Exception {
    String wants = library("wants.so", "-z", "execstack").toString();
    String wantsNot = library("wantsnot.so", "-z", "noexecstack").toString();
    assertEquals(List.of(wantsNot), opened("", List.of(wants, wantsNot), "no device exists"));
    assertEquals(List.of(wants, wantsNot), opened("", List.of(wants, wantsNot), ""));
    assertEquals(List.of(wants), opened(wants, List.of(wantsNot), "no device exists"));
  }

  /** An interrupt closes the files that the thread reads. */
  @Test
  void whatCannotBeLookedAtIsNotLoadedWithoutADevice() throws Exception {
    String wants = library("wants.so", "-z", "execstack").toString();
    Thread.currentThread().interrupt();
    List<String> opened = opened("", List.of(wants), "no device exists");
    assertTrue(Thread.interrupted());
    assertEquals(List.of(), opened);
    assertEquals(List.of(), opened("", List.of("libjhal-none.so"), "no device exists"));
    assertEquals(List.of("libjhal-none.so"), opened("", List.of("libjhal-none.so"), ""));
  }

  /** The libraries that are opened, all in vain. */
  private static List<String> opened(String setting, List<String> candidates, String absence) {
    var wanted = new WantedLibrary("A", "B", "jhal.test.stacks", Status.UNAVAILABLE);
    System.setProperty(wanted.property(), setting);
    List<String> opened = new ArrayList<>();
    try {
      HalException failure =
          assertThrows(
              HalException.class,
              () ->
                  wanted.findAll(
                      candidates,
                      "answer",
                      library -> true,
                      absence,
                      name -> {
                        opened.add(name);
                        throw new UnsatisfiedLinkError("not opened");
                      }));
      for (String one : setting.isEmpty() ? candidates : List.of(setting)) {
        String why =
            new File(one).exists()
                ? " (not loaded, since it wants executable stacks and " + absence + ")"
                : " (not found)";
        boolean isNamed = String.valueOf(failure.getMessage()).contains(one + why);
        assertEquals(!opened.contains(one), isNamed, failure.getMessage());
      }
    } finally {
      System.clearProperty(wanted.property());
    }
    return opened;
  }

  @Test
  void anEarlierThreadSurvivesAStackOverflow() throws Exception {
    Path wants = library("wants.so", "-z", "execstack");
    Path needs = library("needs.so", "-z", "noexecstack", "-Wl,--no-as-needed", wants.toString());
    for (Path library : List.of(wants, needs, elsewhere(wants))) {
      String output =
          run(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  Stream.of(
                          Overflow.class,
                          SharedLibrary.class,
                          Attempt.class,
                          HalException.class,
                          Native.class)
                      .map(StackGuardsTest::place)
                      .collect(Collectors.joining(File.pathSeparator)),
                  Overflow.class.getName(),
                  library.toString()),
              0);
      assumeFalse(output.contains("refused"), "this system refuses executable stacks: " + output);
      assertTrue(output.contains("caught a StackOverflowError"), output);
    }
  }

  /** A copy in a folder with other characters, where this locale has any. */
  private Path elsewhere(Path library) throws IOException {
    Path other;
    try {
      other = folder.resolve("j\u00fc \u4e2d");
    } catch (InvalidPathException e) {
      other = folder.resolve("a b");
    }
    return Files.copy(library, Files.createDirectory(other).resolve("wants.so"));
  }

  private static String place(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Loads a library, and makes an earlier thread overflow its stack. */
  static final class Overflow {
    private Overflow() {}

    public static void main(String[] args) throws Exception {
      CountDownLatch isLoaded = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                try {
                  isLoaded.await();
                  System.out.println(overflow(0));
                } catch (StackOverflowError e) {
                  System.out.println("caught a StackOverflowError");
                } catch (InterruptedException e) {
                  System.out.println("interrupted");
                }
              });
      thread.setDaemon(true);
      thread.start();
      try {
        var unused = SharedLibrary.open(args[0]);
      } catch (UnsatisfiedLinkError e) {
        System.out.println("refused: " + e.getMessage());
      }
      isLoaded.countDown();
      thread.join();
    }

    private static int overflow(int depth) {
      return depth == -1 ? 0 : overflow(depth + 1) + 1;
    }
  }
}
