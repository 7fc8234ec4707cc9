// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What programs and drivers compile against changes only on purpose. The file {@code api.txt} of a
 * module describes it as of the last commit; {@link ApiDescription} says how. A change that breaks
 * programs or drivers must be named in CHANGELOG.md, above the last release: by the simple name of
 * the class or member. {@code -Dtest.args=-Djhal.api.update=true} then writes the file anew.
 */
class ApiFileTest {
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record) ([\\w.$]+)");
  private static final Pattern MODULE_PART =
      Pattern.compile("^[-+] (?:module|open module|requires|uses|provides|package) ");
  private static final Pattern CALLABLE = Pattern.compile("([\\w.$]+)\\(");

  /** Those that programs and drivers compile against and that need no framework to be loaded. */
  static List<String> modules() {
    List<String> modules =
        new ArrayList<>(List.of("hal-api", "hal-utils", "hal-gpu", "cts", "hal-micrometer"));
    if (Runtime.version().feature() >= 22) { // older JDKs do not build it
      modules.add("hal-segments");
    }
    return modules;
  }

  @ParameterizedTest
  @MethodSource("modules")
  void fileDescribesTheModule(String module) throws Exception {
    Path file = Repository.folder(module).resolve("api.txt");
    List<String> before = Files.exists(file) ? Files.readAllLines(file) : List.of();
    List<String> after = ApiDescription.of(module);
    List<String> unnamed = unnamed(before, after, unreleased());
    assertEquals(
        List.of(), unnamed, "these break programs or drivers, and CHANGELOG.md does not name them");
    if (Boolean.getBoolean("jhal.api.update")) {
      Files.write(file, after);
    } else {
      assertEquals(List.of(), changes(before, after), file + ": update it, see CONTRIBUTING.md");
    }
  }

  /** The part of the changelog about what is not released. */
  private static String unreleased() throws Exception {
    String text = Files.readString(Repository.root().resolve("CHANGELOG.md"));
    int start = text.indexOf("\n## Unreleased\n");
    assertTrue(start >= 0, "CHANGELOG.md has no part \"Unreleased\"");
    int end = text.indexOf("\n## ", start + 1);
    return text.substring(start, end < 0 ? text.length() : end);
  }

  private static List<String> changes(List<String> before, List<String> after) {
    return Stream.concat(
            before.stream().filter(line -> !after.contains(line)).map(line -> "- " + line),
            after.stream().filter(line -> !before.contains(line)).map(line -> "+ " + line))
        .toList();
  }

  /**
   * What was removed, and abstract members that were added to a class which is not new, unless the
   * text has their names.
   */
  private static List<String> unnamed(List<String> before, List<String> after, String text) {
    return changes(before, after).stream()
        .filter(line -> line.startsWith("- ") || isNewDuty(line, before))
        .filter(
            line ->
                !Pattern.compile("\\b" + Pattern.quote(name(line)) + "\\b").matcher(text).find())
        .toList();
  }

  private static boolean isNewDuty(String line, List<String> before) {
    Matcher member = CALLABLE.matcher(line);
    if (!line.contains(" abstract ") || TYPE.matcher(line).find() || !member.find()) {
      return false;
    }
    String owner = member.group(1).substring(0, member.group(1).lastIndexOf('.'));
    return before.stream()
        .map(TYPE::matcher)
        .anyMatch(type -> type.find() && type.group(1).equals(owner));
  }

  /** The simple name of a class or member; the whole name of a package or module. */
  private static String name(String line) {
    Matcher type = TYPE.matcher(line);
    Matcher callable = CALLABLE.matcher(line);
    String name;
    if (type.find()) {
      name = type.group(1);
    } else if (callable.find()) {
      name = callable.group(1);
    } else {
      name = line.substring(line.lastIndexOf(' ') + 1);
      if (MODULE_PART.matcher(line).find()) {
        return name;
      }
    }
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  @Test
  void controlBreaksMustBeNamed() {
    List<String> before =
        List.of(
            "module a",
            "requires transitive b.c",
            "package a.d",
            "public abstract interface a.d.E<T> extends java.lang.Iterable<T>",
            "public abstract void a.d.E.run(java.util.List<T>) throws a.d.F",
            "public static final class a.d.E$G",
            "protected a.d.E$G(int)",
            "public static final int a.d.E$G.LIMIT");
    assertEquals(List.of(), unnamed(before, before, ""));
    assertEquals(
        before.stream().map(line -> "- " + line).toList(), unnamed(before, List.of(), "none"));
    assertEquals(
        List.of("- requires transitive b.c", "- protected a.d.E$G(int)"),
        unnamed(before, List.of("module a", "package a.d", before.get(5)), "E, run, and LIMIT"));
    assertEquals(
        List.of(), unnamed(before, List.of("module a"), "b.c, a.d, E, G, LIMIT, `E.run(List)`"));
  }

  @Test
  void controlNewDutiesMustBeNamed() {
    List<String> before = List.of("public abstract interface a.E");
    List<String> after =
        List.of(
            "public abstract interface a.E",
            "public abstract void a.E.run(int)",
            "public default void a.E.walk(int)",
            "public abstract interface a.New",
            "public abstract void a.New.run(int)");
    assertEquals(List.of("+ public abstract void a.E.run(int)"), unnamed(before, after, "walk"));
    assertEquals(List.of(), unnamed(before, after, "E.run"));
  }

  @Test
  void controlWhatCanBeUsedIsDescribed() {
    String name = Sample.class.getName();
    assertEquals(
        List.of(
            "public abstract static class "
                + name
                + "<T> extends java.lang.Object implements"
                + " java.lang.Iterable<T>",
            "protected " + name + "(int)",
            "public static final int " + name + ".LIMIT",
            "protected abstract <E extends java.lang.Exception> void "
                + name
                + ".run(T,E) throws E"),
        ApiDescription.describe(Sample.class));
  }

  /** A class with members that others can use, and with some that they cannot. */
  public abstract static class Sample<T> implements Iterable<T> {
    public static final int LIMIT = 1;
    final int hidden;

    protected Sample(int value) {
      hidden = value;
    }

    Sample() {
      this(0);
    }

    protected abstract <E extends Exception> void run(T value, E error) throws E;

    void internal() {}
  }
}
