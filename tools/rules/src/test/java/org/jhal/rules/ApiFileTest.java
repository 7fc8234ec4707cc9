// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What programs and drivers compile against changes only on purpose. The file {@code api.txt} of a
 * module has a line for each exported package, and for each public or protected class, constructor,
 * field and method in it. {@code -Dtest.args=-Djhal.api.update=true} writes it anew.
 */
class ApiFileTest {
  @ParameterizedTest
  @ValueSource(strings = {"hal-api", "hal-utils"})
  void fileDescribesTheModule(String module) throws Exception {
    Path file = Repository.folder(module).resolve("api.txt");
    List<String> actual = describe(module);
    if (Boolean.getBoolean("jhal.api.update")) {
      Files.write(file, actual);
    }
    List<String> removed = new ArrayList<>(Files.readAllLines(file));
    List<String> added = new ArrayList<>(actual);
    added.removeAll(removed);
    removed.removeAll(actual);
    assertTrue(
        removed.isEmpty() && added.isEmpty(),
        () ->
            file
                + " differs from the code. What is removed breaks programs or drivers: name it in"
                + " CHANGELOG.md. Then update the file, as CONTRIBUTING.md says."
                + removed.stream().map(line -> "\n- " + line).collect(Collectors.joining())
                + added.stream().map(line -> "\n+ " + line).collect(Collectors.joining()));
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
        describe(Sample.class));
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

  private static List<String> describe(String module) throws Exception {
    Path classes = Repository.compiled(module);
    ModuleDescriptor descriptor = ModuleFinder.of(classes).findAll().iterator().next().descriptor();
    TreeSet<String> packages = new TreeSet<>();
    for (ModuleDescriptor.Exports exports : descriptor.exports()) {
      if (!exports.isQualified()) {
        packages.add(exports.source());
      }
    }
    List<String> lines = new ArrayList<>();
    for (String name : packages) {
      lines.add("package " + name);
      for (Class<?> type : types(classes, name)) {
        lines.addAll(describe(type));
      }
    }
    return lines;
  }

  /** The classes of a package that can be used outside of it, by name. */
  private static List<Class<?>> types(Path classes, String packageName) throws Exception {
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.list(classes.resolve(packageName.replace('.', '/')))) {
      List<String> names =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
              .map(file -> file.substring(0, file.length() - ".class".length()))
              .sorted()
              .toList();
      for (String name : names) {
        Class<?> type =
            Class.forName(packageName + "." + name, false, ApiFileTest.class.getClassLoader());
        if (isVisible(type)) {
          types.add(type);
        }
      }
    }
    return types;
  }

  private static boolean isVisible(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
      if (!isVisible(each.getModifiers()) || each.isAnonymousClass() || each.isLocalClass()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  /** A line for the class, followed by one for each member that it declares, sorted by kind. */
  private static List<String> describe(Class<?> type) {
    List<String> lines = new ArrayList<>();
    // Newer JDKs also say here whether it is sealed.
    StringBuilder head =
        new StringBuilder(type.toGenericString().replaceFirst("\\b(non-)?sealed ", ""));
    if (type.getGenericSuperclass() != null) {
      head.append(" extends ").append(type.getGenericSuperclass().getTypeName());
    }
    if (type.getGenericInterfaces().length > 0) {
      head.append(type.isInterface() ? " extends " : " implements ")
          .append(
              Arrays.stream(type.getGenericInterfaces())
                  .map(each -> each.getTypeName())
                  .collect(Collectors.joining(", ")));
    }
    if (type.isSealed()) {
      head.append(" permits ")
          .append(
              Arrays.stream(type.getPermittedSubclasses())
                  .map(Class::getName)
                  .collect(Collectors.joining(", ")));
    }
    lines.add(head.toString());
    lines.addAll(
        sorted(
            Arrays.stream(type.getDeclaredConstructors())
                .filter(each -> isVisible(each.getModifiers()) && !each.isSynthetic())
                .map(Constructor::toGenericString)));
    lines.addAll(
        sorted(
            Arrays.stream(type.getDeclaredFields())
                .filter(each -> isVisible(each.getModifiers()) && !each.isSynthetic())
                .map(Field::toGenericString)));
    lines.addAll(
        sorted(
            Arrays.stream(type.getDeclaredMethods())
                .filter(each -> isVisible(each.getModifiers()) && !each.isSynthetic())
                .map(Method::toGenericString)));
    return lines;
  }

  private static List<String> sorted(Stream<String> lines) {
    return lines.sorted().toList();
  }
}
