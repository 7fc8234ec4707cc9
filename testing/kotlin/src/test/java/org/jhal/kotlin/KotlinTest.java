// SPDX-License-Identifier: Apache-2.0
package org.jhal.kotlin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a user of Kotlin gets: programs compile without warnings, and run; and the compiler knows
 * what may be null. The annotations of JSpecify are not on the class path of the compiler, as in
 * the project of a user.
 */
class KotlinTest {
  /** The jars and folders of the API and of Kotlin. */
  private static final String CLASSPATH =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .filter(entry -> entry.contains("hal-api") || entry.contains("kotlin-stdlib"))
          .collect(Collectors.joining(File.pathSeparator));

  private record Compilation(ExitCode code, String messages) {}

  @TempDir Path folder;

  @Test
  void aProgramCompilesWithoutWarningsAndRuns() throws Exception {
    assertCompiles(compile(module().resolve("src/test/kotlin/Vectors.kt")));
    assertEquals(
        List.of("999000.0", "3000.0", "[1.0, 2.0]", "112", "not lost", "no such queue"),
        run("VectorsKt", "mock"));
  }

  @Test
  void theProgramInTheDocumentationCompilesWithoutWarningsAndRuns() throws Exception {
    Path page = module().resolve("../../docs/using.md");
    Matcher code = Pattern.compile("(?s)```kotlin\n(.*?)```").matcher(Files.readString(page));
    assertTrue(code.find(), () -> page + " has no program in Kotlin");
    assertCompiles(compile(Files.writeString(folder.resolve("Page.kt"), code.group(1))));
    assertEquals(List.of("6.0"), run("PageKt", "mock"));
  }

  /** Each statement alone does not compile; its message says that it is because of null. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Hal.openDevice(null)                                  | null cannot be a value of a non-null type",
        "device.queue(0).compute(null) { 1 }                   | null cannot be a value of a non-null type",
        "val name: String? = null; Hal.openDevice(name)        | actual type is 'String?'",
        "device.lostCause().status()                           | only safe",
        "val cause: HalException = device.lostCause()          | actual 'HalException?'"
      })
  void controlWhatMustNotBeNullIsRefused(String statement, String message) throws IOException {
    Compilation refused = compile(program(statement));
    assertEquals(ExitCode.COMPILATION_ERROR, refused.code, refused.messages);
    assertTrue(refused.messages.contains(message), refused.messages);
  }

  /** A program with a warning counts as one that does not compile. */
  @Test
  void controlAWarningIsFound() throws IOException {
    Compilation warned = compile(program("val queue = device.queue(0); queue!!.index()"));
    assertEquals(ExitCode.COMPILATION_ERROR, warned.code, warned.messages);
    assertTrue(warned.messages.contains("warning"), warned.messages);
  }

  private Path program(String statement) throws IOException {
    return Files.writeString(
        folder.resolve("Control.kt"),
        "import org.jhal.*\nfun control(device: Device) {\n  %s\n  println(device)\n}\n"
            .formatted(statement));
  }

  private Compilation compile(Path source) {
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    ExitCode code =
        new K2JVMCompiler()
            .exec(
                new PrintStream(messages, true, StandardCharsets.UTF_8),
                "-Werror",
                "-Xjdk-release=17",
                "-no-reflect",
                "-no-stdlib",
                "-cp",
                CLASSPATH,
                "-d",
                folder.resolve("classes").toString(),
                source.toString());
    return new Compilation(code, messages.toString(StandardCharsets.UTF_8));
  }

  private static void assertCompiles(Compilation compilation) {
    assertEquals(ExitCode.OK, compilation.code, compilation.messages);
    assertEquals("", compilation.messages);
  }

  /** What the program prints, by lines. */
  private List<String> run(String mainClass, String... args) throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    URL[] classes = {folder.resolve("classes").toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(classes, getClass().getClassLoader())) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass(mainClass).getMethod("main", String[].class).invoke(null, (Object) args);
    } finally {
      System.setOut(out);
    }
    return new ArrayList<>(printed.toString(StandardCharsets.UTF_8).lines().toList());
  }

  /** The folder of this module, wherever in the repository the test was started. */
  private static Path module() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(".mvn"))) {
        return at.resolve("testing/kotlin");
      }
    }
    throw new IllegalStateException("this is not in the repository");
  }
}
