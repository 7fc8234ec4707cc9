// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
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
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What others can compile against, as text: the module with what it requires, uses and provides,
 * each exported package, and each public or protected class, constructor, field and method in it.
 */
final class ApiDescription {
  private ApiDescription() {}

  /** The lines of a module that was built before this one. */
  static List<String> of(String module) throws Exception {
    Path classes = Repository.compiled(module);
    ModuleDescriptor descriptor = ModuleFinder.of(classes).findAll().iterator().next().descriptor();
    List<String> lines = describe(descriptor);
    for (String name : exported(descriptor)) {
      lines.add("package " + name);
      for (Class<?> type : types(classes, name)) {
        lines.addAll(describe(type));
      }
    }
    return lines;
  }

  /** What modules that use this one, or that it loads, rely on. */
  private static List<String> describe(ModuleDescriptor descriptor) {
    List<String> lines = new ArrayList<>();
    lines.add((descriptor.isOpen() ? "open module " : "module ") + descriptor.name());
    lines.addAll(
        sorted(
            descriptor.requires().stream()
                .filter(each -> !each.modifiers().contains(Requires.Modifier.MANDATED))
                .map(
                    each ->
                        each.modifiers().stream()
                                .sorted()
                                .map(modifier -> modifier.name().toLowerCase(Locale.ROOT) + " ")
                                .collect(Collectors.joining("", "requires ", ""))
                            + each.name())));
    lines.addAll(sorted(descriptor.uses().stream().map(each -> "uses " + each)));
    lines.addAll(sorted(descriptor.provides().stream().map(each -> "provides " + each.service())));
    return lines;
  }

  private static Set<String> exported(ModuleDescriptor descriptor) {
    return descriptor.exports().stream()
        .filter(each -> !each.isQualified())
        .map(ModuleDescriptor.Exports::source)
        .collect(Collectors.toCollection(TreeSet::new));
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
            Class.forName(packageName + "." + name, false, ApiDescription.class.getClassLoader());
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
  static List<String> describe(Class<?> type) {
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
                .map(ApiDescription::describe)));
    return lines;
  }

  /** Without what callers do not notice. */
  private static String describe(Method method) {
    return method.toGenericString().replaceFirst("\\b(synchronized|native) ", "");
  }

  private static List<String> sorted(Stream<String> lines) {
    return lines.sorted().toList();
  }
}
