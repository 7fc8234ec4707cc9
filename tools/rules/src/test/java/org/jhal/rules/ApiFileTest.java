// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
 * module describes it as of the last commit; {@link ApiDescription} says how. {@code
 * -Dtest.args=-Djhal.api.update=true} writes it anew, unless the change breaks programs or drivers
 * and the newest part of CHANGELOG.md does not name what it breaks. The file shows reviewers what
 * has changed; nothing else keeps one from editing it.
 */
class ApiFileTest {
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record) ([\\w.$]+)");

  /** The part "Changed" of the first section. */
  private static final Pattern CHANGED =
      Pattern.compile(
          "\\A(?:(?!\n## ).)*\n## (?:(?!\n## ).)*?\n(### Changed(?:(?!\n##).)*)", Pattern.DOTALL);

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern MODULE_PART =
      Pattern.compile("^[-+] (?:module|open module|requires|uses|provides|package) ");
  private static final Pattern CALLABLE = Pattern.compile("([\\w.$]+)\\(");

  /** Those that programs and drivers compile against and that need no framework to be loaded. */
  static List<String> modules() {
    List<String> modules =
        new ArrayList<>(
            List.of(
                "hal-api",
                "hal-kernels",
                "hal-spirv",
                "hal-utils",
                "hal-collectives",
                "hal-recording",
                "hal-testkit",
                "hal-gpu",
                "cts",
                "hal-micrometer"));
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
    String changelog = Files.readString(Repository.root().resolve("CHANGELOG.md"));
    List<String> unnamed = unnamed(before, after, named(changelog));
    assertEquals(
        List.of(), unnamed, "these break programs or drivers, and CHANGELOG.md does not name them");
    if (Boolean.getBoolean("jhal.api.update")) {
      Files.write(file, after);
    } else {
      assertEquals(List.of(), changes(before, after), file + ": update it, see CONTRIBUTING.md");
    }
  }

  /** What the newest part of the changelog, under "Changed", sets as code. */
  private static List<String> named(String changelog) {
    Matcher changed = CHANGED.matcher(changelog);
    return changed.find()
        ? CODE.matcher(changed.group(1)).results().map(code -> code.group(1)).toList()
        : List.of();
  }

  private static List<String> changes(List<String> before, List<String> after) {
    return Stream.concat(
            before.stream().filter(line -> !after.contains(line)).map(line -> "- " + line),
            after.stream().filter(line -> !before.contains(line)).map(line -> "+ " + line))
        .toList();
  }

  /**
   * What was removed, and abstract members that were added to a class which is not new, unless the
   * code in the changelog names it. The name of a removed package or class stands for all in it.
   */
  private static List<String> unnamed(
      List<String> before, List<String> after, List<String> changelog) {
    List<String> changes = changes(before, after);
    List<String> named =
        changes.stream()
            .filter(line -> changelog.stream().anyMatch(code -> name(line).matcher(code).find()))
            .toList();
    List<String> removedWhole =
        named.stream().filter(line -> line.startsWith("- ")).flatMap(ApiFileTest::whole).toList();
    return changes.stream()
        .filter(line -> line.startsWith("- ") || isNewDuty(line, before))
        .filter(line -> !named.contains(line))
        .filter(line -> !line.startsWith("- ") || removedWhole.stream().noneMatch(line::contains))
        .toList();
  }

  /** How what is in the package or class of a line is named, up to the member. */
  private static Stream<String> whole(String line) {
    Matcher type = TYPE.matcher(line);
    if (line.startsWith("- package ")) {
      return Stream.of(" " + line.substring("- package ".length()) + ".");
    }
    return type.find()
        ? Stream.of(" " + type.group(1) + ".", " " + type.group(1) + "$", " " + type.group(1) + "(")
        : Stream.empty();
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

  /**
   * How a line is named: a class, also for its constructors, by its simple name, a member as {@code
   * Type.member}, and a package or module by its whole name.
   */
  private static Pattern name(String line) {
    Matcher type = TYPE.matcher(line);
    Matcher callable = CALLABLE.matcher(line);
    String name;
    if (MODULE_PART.matcher(line).find()) {
      name = line.substring(line.lastIndexOf(' ') + 1);
    } else if (type.find()) {
      name = lastParts(type.group(1), 1);
    } else if (callable.find()) {
      boolean isConstructor = Character.isUpperCase(lastParts(callable.group(1), 1).charAt(0));
      name = lastParts(callable.group(1), isConstructor ? 1 : 2);
    } else {
      name = lastParts(line.substring(line.lastIndexOf(' ') + 1), 2); // a field
    }
    return Pattern.compile("(?<![\\w.])" + Pattern.quote(name) + "\\b");
  }

  private static String lastParts(String name, int count) {
    String[] parts = name.split("[.$]", -1);
    return String.join(".", List.of(parts).subList(parts.length - count, parts.length));
  }

  @Test
  void controlOnlyCodeOfTheNewestChangesCounts() {
    assertEquals(
        List.of("C", "D.e"),
        named(
            """
            # Changelog

            ## 0.2.0 (2027-01-01)

            ### Added

            `A` and b.

            ### Changed, for some

            - `C` was
              `D.e` f.

            ### Fixed
            `G`
            ## 0.1.0
            ### Changed
            `H`
            """));
    assertEquals(List.of(), named("# Changelog\n\n## 0.2.0\n\n## 0.1.0\n\n### Changed\n`H`\n"));
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
            "public static final class a.d.G",
            "protected a.d.G(int)",
            "public static final int a.d.G.LIMIT");
    assertEquals(List.of(), unnamed(before, before, List.of()));
    assertEquals(
        before.stream().map(line -> "- " + line).toList(),
        unnamed(before, List.of(), List.of("none")));
    assertEquals(
        List.of("- requires transitive b.c"),
        unnamed(before, List.of("module a", "package a.d"), List.of("E", "new G(1)")));
    assertEquals(
        List.of("- requires transitive b.c"), unnamed(before, List.of("module a"), List.of("a.d")));
    List<String> withoutMembers =
        before.stream().filter(line -> !line.contains("run") && !line.contains("LIMIT")).toList();
    assertEquals(
        List.of("- public static final int a.d.G.LIMIT"),
        unnamed(before, withoutMembers, List.of("E.run(List)", "G", "E")));
    assertEquals(
        List.of("- public abstract void a.d.E.run(java.util.List<T>) throws a.d.F"),
        unnamed(before, withoutMembers, List.of("a.d", "run", "E.runs", "G.LIMIT")));
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
    assertEquals(
        List.of("+ public abstract void a.E.run(int)"), unnamed(before, after, List.of("E.walk")));
    assertEquals(List.of(), unnamed(before, after, List.of("E.run")));
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
