// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitReferenceTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.rules.fixture.UsesThePlatform;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Methods that no code may call, tests included, since their results depend on the machine. The
 * path of a URL is encoded, so it names no file in a folder with a space; {@code
 * Path.of(url.toURI())} does. The default character set is that of the machine on Java 17 and UTF-8
 * on 18. Some locales have other digits, and in Turkish the lower case of I is not i; {@code
 * FormattingLocaleTest} checks formats.
 */
class PlatformRulesTest {
  private static final Set<String> FORBIDDEN =
      Set.of(
          "java.net.URL.getPath()",
          "java.net.URL.getFile()",
          "java.io.ByteArrayOutputStream.toString()",
          "java.io.FileReader.<init>(java.io.File)",
          "java.io.FileReader.<init>(java.io.FileDescriptor)",
          "java.io.FileReader.<init>(java.lang.String)",
          "java.io.FileWriter.<init>(java.io.File)",
          "java.io.FileWriter.<init>(java.io.File, boolean)",
          "java.io.FileWriter.<init>(java.io.FileDescriptor)",
          "java.io.FileWriter.<init>(java.lang.String)",
          "java.io.FileWriter.<init>(java.lang.String, boolean)",
          "java.io.InputStreamReader.<init>(java.io.InputStream)",
          "java.io.OutputStreamWriter.<init>(java.io.OutputStream)",
          "java.io.PrintStream.<init>(java.io.File)",
          "java.io.PrintStream.<init>(java.io.OutputStream)",
          "java.io.PrintStream.<init>(java.io.OutputStream, boolean)",
          "java.io.PrintStream.<init>(java.lang.String)",
          "java.io.PrintWriter.<init>(java.io.File)",
          "java.io.PrintWriter.<init>(java.io.OutputStream)",
          "java.io.PrintWriter.<init>(java.io.OutputStream, boolean)",
          "java.io.PrintWriter.<init>(java.lang.String)",
          "java.lang.String.<init>([B)",
          "java.lang.String.<init>([B, int, int)",
          "java.lang.String.getBytes()",
          "java.lang.String.toLowerCase()",
          "java.lang.String.toUpperCase()",
          "java.net.URLDecoder.decode(java.lang.String)",
          "java.net.URLEncoder.encode(java.lang.String)",
          "java.nio.charset.Charset.defaultCharset()",
          "java.text.DecimalFormat.<init>()",
          "java.text.DecimalFormat.<init>(java.lang.String)",
          "java.text.MessageFormat.format(java.lang.String, [Ljava.lang.Object;)",
          "java.text.NumberFormat.getInstance()",
          "java.text.NumberFormat.getIntegerInstance()",
          "java.text.NumberFormat.getNumberInstance()",
          "java.text.NumberFormat.getPercentInstance()",
          "java.text.SimpleDateFormat.<init>()",
          "java.text.SimpleDateFormat.<init>(java.lang.String)",
          "java.time.format.DateTimeFormatter.ofPattern(java.lang.String)",
          "java.util.Formatter.<init>()",
          "java.util.Formatter.<init>(java.io.File)",
          "java.util.Formatter.<init>(java.io.OutputStream)",
          "java.util.Formatter.<init>(java.io.PrintStream)",
          "java.util.Formatter.<init>(java.lang.Appendable)",
          "java.util.Formatter.<init>(java.lang.String)",
          "java.util.Scanner.<init>(java.io.File)",
          "java.util.Scanner.<init>(java.io.InputStream)",
          "java.util.Scanner.<init>(java.nio.channels.ReadableByteChannel)",
          "java.util.Scanner.<init>(java.nio.file.Path)");

  /** Modules that may not be compiled when these tests run. Their sources are read instead. */
  private static final List<String> UNCOMPILED =
      List.of(Repository.FFM, "hal-segments", "hal-spark", "examples/spark");

  /** The text of a forbidden call, unless the statement names a character set. */
  private static final Pattern SUSPICIOUS =
      Pattern.compile(
          "\\.(getBytes|toLowerCase|toUpperCase)\\(\\s*\\)|\\bdefaultCharset\\(|\\bURL(De|En)coder\\s*\\.\\s*(de|en)code\\("
              + "|\\bnew\\s+(String|FileReader|FileWriter|InputStreamReader|OutputStreamWriter"
              + "|PrintStream|PrintWriter|Formatter|Scanner)\\((?!\\s*\\))"
              + "|\\bgetResource\\([^;]*\\.(getPath|getFile)\\(|\\btoURL\\(\\)\\s*\\.(getPath|getFile)\\(");

  private static final Pattern HAS_CHARSET =
      Pattern.compile("UTF_8|US_ASCII|ISO_8859_1|[cC]harset");

  @TestFactory
  Stream<DynamicTest> noResultDependsOnFolderCharacterSetOrLocaleOfTheMachine() throws IOException {
    List<String> modules = new ArrayList<>(Repository.modules());
    modules.addAll(List.of("examples", "examples/driver", "rules"));
    List<DynamicTest> tests = new ArrayList<>();
    for (String module : modules) {
      addTest(tests, module, "main", "target/classes");
      addTest(tests, module, "test", "target/test-classes");
    }
    for (String module : UNCOMPILED) {
      tests.add(
          DynamicTest.dynamicTest(
              module + " sources", () -> assertSourcesCallNothingForbidden(module)));
    }
    return tests.stream();
  }

  private static void addTest(List<DynamicTest> tests, String module, String kind, String folder) {
    Path place = Repository.folder(module);
    if (Files.isDirectory(place.resolve("src").resolve(kind).resolve("java"))) {
      tests.add(
          DynamicTest.dynamicTest(
              module + " " + kind, () -> assertCallsNothingForbidden(place.resolve(folder))));
    }
  }

  private static void assertCallsNothingForbidden(Path compiled) {
    var classes = new ClassFileImporter().importPath(compiled);
    assertFalse(classes.isEmpty(), () -> compiled + " has no classes");
    assertEquals(
        List.of(),
        classes.stream()
            .filter(type -> !type.isEquivalentTo(UsesThePlatform.class))
            .flatMap(type -> forbidden(type).map(JavaAccess::getDescription))
            .sorted()
            .toList());
  }

  private static void assertSourcesCallNothingForbidden(String module) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Repository.folder(module).resolve("src"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).sorted().toList()) {
        for (String statement : suspicious(Files.readString(file))) {
          found.add(Repository.root().relativize(file) + ": " + statement);
        }
      }
    }
    assertEquals(List.of(), found);
  }

  private static List<String> suspicious(String code) {
    return Stream.of(code.split("[;{}]", -1))
        .filter(statement -> SUSPICIOUS.matcher(statement).find())
        .filter(
            statement ->
                statement.contains("defaultCharset(") || !HAS_CHARSET.matcher(statement).find())
        .map(String::strip)
        .toList();
  }

  private static Stream<JavaAccess<?>> forbidden(JavaClass type) {
    return type.getAccessesFromSelf().stream().filter(access -> FORBIDDEN.contains(called(access)));
  }

  /** The called method or constructor, such as {@code java.lang.String.getBytes()}. */
  private static String called(JavaAccess<?> access) {
    List<JavaClass> parameters =
        access.getTarget() instanceof CodeUnitCallTarget call
            ? call.getRawParameterTypes()
            : access.getTarget() instanceof CodeUnitReferenceTarget reference
                ? reference.getRawParameterTypes()
                : List.of();
    return access.getTargetOwner().getName()
        + "."
        + access.getName()
        + parameters.stream().map(JavaClass::getName).collect(Collectors.joining(", ", "(", ")"));
  }

  @Test
  void controlACallAndAReferenceAreFound() {
    JavaClass fixture =
        new ClassFileImporter().importClasses(UsesThePlatform.class).get(UsesThePlatform.class);
    assertEquals(
        Set.of(
            "java.net.URL.getPath()",
            "java.net.URL.getFile()",
            "java.lang.String.<init>([B)",
            "java.lang.String.getBytes()",
            "java.lang.String.toUpperCase()",
            "java.io.InputStreamReader.<init>(java.io.InputStream)"),
        forbidden(fixture).map(PlatformRulesTest::called).collect(Collectors.toSet()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "byte[] b = text.getBytes();",
        "var s = text.toUpperCase();",
        "var s = new String(bytes, 0, 4);",
        "var r = new InputStreamReader(in);",
        "var s = new Scanner(System.in, Charset.defaultCharset());",
        "URLDecoder.decode(text);",
        "Path p = Path.of(type.getResource(\"a\").getPath());"
      })
  void controlACallInSourcesIsFound(String code) {
    assertEquals(1, suspicious(code).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "byte[] b = text.getBytes(UTF_8);",
        "var s = new String(bytes, StandardCharsets.UTF_8);",
        "var s = new String();",
        "Path p = Path.of(type.getResource(\"a\").toURI());"
      })
  void controlCallsThatNameTheCharacterSetAreAccepted(String code) {
    assertEquals(List.of(), suspicious(code));
  }
}
