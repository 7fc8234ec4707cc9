// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The packages of hal-utils: which of them may see which, and what drivers can see of them. */
class EnginePackagesTest {
  private static final String DRIVER = "org.jhal.driver";
  private static final String ENGINE = "org.jhal.engine";

  /** For each package the others that it may use; docs/design.md has the same table. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.ofEntries(
          entry(DRIVER),
          entry(DRIVER + ".options"),
          entry(DRIVER + ".support", DRIVER),
          entry(
              ENGINE,
              DRIVER,
              DRIVER + ".options",
              DRIVER + ".support",
              ENGINE + ".base",
              ENGINE + ".hazard",
              ENGINE + ".memory",
              ENGINE + ".kernel",
              ENGINE + ".recording",
              ENGINE + ".work",
              ENGINE + ".transfer",
              ENGINE + ".file",
              ENGINE + ".collective",
              ENGINE + ".queue",
              ENGINE + ".timeline",
              ENGINE + ".flightrecorder",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".base",
              ENGINE + ".journal",
              ENGINE + ".hazard",
              DRIVER,
              DRIVER + ".options",
              DRIVER + ".support",
              ENGINE + ".queue",
              ENGINE + ".timeline",
              ENGINE + ".flightrecorder",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".memory",
              ENGINE + ".journal",
              ENGINE + ".hazard",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".base",
              ENGINE + ".timeline",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".kernel",
              ENGINE + ".journal",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".base",
              ENGINE + ".memory",
              ENGINE + ".flightrecorder"),
          entry(
              ENGINE + ".recording",
              ENGINE + ".hazard",
              DRIVER,
              ENGINE + ".base",
              ENGINE + ".memory",
              ENGINE + ".kernel",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".work",
              ENGINE + ".journal",
              ENGINE + ".hazard",
              DRIVER,
              ENGINE + ".base",
              ENGINE + ".memory",
              ENGINE + ".kernel",
              ENGINE + ".recording",
              ENGINE + ".queue",
              ENGINE + ".timeline",
              ENGINE + ".flightrecorder",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".transfer",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".base",
              ENGINE + ".memory",
              ENGINE + ".queue",
              ENGINE + ".timeline"),
          entry(
              ENGINE + ".file",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".base",
              ENGINE + ".transfer",
              ENGINE + ".memory",
              ENGINE + ".queue",
              ENGINE + ".timeline",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".collective",
              ENGINE + ".module",
              ENGINE + ".base",
              ENGINE + ".transfer",
              ENGINE + ".queue"),
          entry(
              ENGINE + ".queue",
              ENGINE + ".hazard",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".timeline",
              ENGINE + ".flightrecorder",
              ENGINE + ".concurrent"),
          entry(
              ENGINE + ".timeline",
              ENGINE + ".hazard",
              DRIVER,
              DRIVER + ".support",
              ENGINE + ".flightrecorder",
              ENGINE + ".concurrent"),
          entry(ENGINE + ".hazard"),
          entry(ENGINE + ".journal", ENGINE + ".module", DRIVER),
          entry(ENGINE + ".module", DRIVER + ".support"),
          entry(ENGINE + ".flightrecorder"),
          entry(ENGINE + ".concurrent", DRIVER + ".support"));

  private static Map.Entry<String, Set<String>> entry(String room, String... seen) {
    return Map.entry(room, Set.of(seen));
  }

  /**
   * Types that are public for other reasons: for several packages of this module; and an exception,
   * for streams that are not stepwise.
   */
  private static final Set<String> NOT_FOR_DRIVERS =
      Set.of(
          DRIVER + ".UncoveredWorkException",
          DRIVER + ".support.Attempt",
          DRIVER + ".support.PlatformThreads");

  private static final JavaClasses CLASSES = Repository.classes("hal-utils");

  @Test
  void eachPackageSeesOnlyWhatItMay() {
    assertEquals(List.of(), new PackageTable(MAY_SEE).violations(CLASSES));
  }

  @Test
  void theEngineHasOneEntry() {
    Set<String> open =
        CLASSES.stream()
            .filter(type -> type.getPackageName().equals(ENGINE) && isPublicTopLevel(type))
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("EngineDevice"), open);
  }

  @Test
  void driversSeeExportedPackagesAndTheEntry() {
    Set<String> expected =
        MAY_SEE.keySet().stream()
            .filter(name -> !name.startsWith(ENGINE + "."))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> exported =
        descriptor().exports().stream()
            .filter(export -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(expected, exported);
  }

  /** Packages that drivers do not see are visible to the modules that use them. */
  @Test
  void hiddenPackagesAreExportedToTheModulesThatUseThem() {
    Map<String, Set<String>> expected = new TreeMap<>();
    Map.of(
            "org.jhal.gpu",
            "hal-gpu",
            "org.jhal.collectives",
            "hal-collectives",
            "org.jhal.recording",
            "hal-recording")
        .forEach(
            (name, module) ->
                hiddenSeenBy(module)
                    .forEach(
                        seen -> expected.computeIfAbsent(seen, n -> new TreeSet<>()).add(name)));
    assertEquals(
        expected,
        descriptor().exports().stream()
            .filter(ModuleDescriptor.Exports::isQualified)
            .collect(
                Collectors.toMap(
                    ModuleDescriptor.Exports::source, ModuleDescriptor.Exports::targets)));
  }

  /** The packages of the engine that a module uses, and drivers do not see. */
  private static Set<String> hiddenSeenBy(String module) {
    return Repository.classes(module).stream()
        .flatMap(from -> from.getDirectDependenciesFromSelf().stream())
        .map(to -> to.getTargetClass().getBaseComponentType().getPackageName())
        .filter(name -> name.startsWith(ENGINE + "."))
        .collect(Collectors.toSet());
  }

  private static ModuleDescriptor descriptor() {
    return ModuleFinder.of(Repository.compiled("hal-utils"))
        .find("org.jhal.utils")
        .orElseThrow()
        .descriptor();
  }

  /** A type of an exported package is one that some driver uses, or that such a type shows. */
  @Test
  void everyExportedTypeIsUsedByADriver() throws IOException {
    List<String> users = new ArrayList<>(Repository.drivers());
    users.addAll(
        List.of("hal-gpu", "hal-testkit", "gpu-simulator", "benchmarks", "examples/driver"));
    List<String> unused =
        unused(CLASSES, users).stream()
            .filter(type -> type.getPackageName().startsWith(DRIVER))
            .map(JavaClass::getName)
            .filter(name -> !NOT_FOR_DRIVERS.contains(name))
            .sorted()
            .toList();
    assertTrue(unused.isEmpty(), () -> "public, but no driver needs them: " + unused);
  }

  /** The public types of a module that these users do not use, and that no type shows they use. */
  static List<JavaClass> unused(JavaClasses classes, List<String> users) {
    Set<String> names = new HashSet<>();
    for (String user : users) {
      for (JavaClass from : Repository.classes(user)) {
        from.getDirectDependenciesFromSelf()
            .forEach(to -> names.add(to.getTargetClass().getBaseComponentType().getName()));
      }
    }
    // Also the types in the signatures of used types, and so on.
    boolean grows = true;
    while (grows) {
      grows = false;
      for (JavaClass type : classes) {
        if (names.contains(type.getName()) || names.contains(outermost(type))) {
          grows |= names.addAll(shownBy(type));
        }
      }
    }
    return classes.stream()
        .filter(type -> isPublicTopLevel(type) && !names.contains(type.getName()))
        .toList();
  }

  private static Set<String> shownBy(JavaClass type) {
    Set<String> shown = new HashSet<>();
    type.getMethods().stream()
        .filter(
            method ->
                method.getModifiers().contains(JavaModifier.PUBLIC)
                    || method.getModifiers().contains(JavaModifier.PROTECTED))
        .forEach(
            method -> {
              method
                  .getReturnType()
                  .getAllInvolvedRawTypes()
                  .forEach(it -> shown.add(it.getName()));
              method
                  .getParameters()
                  .forEach(
                      parameter ->
                          parameter
                              .getType()
                              .getAllInvolvedRawTypes()
                              .forEach(it -> shown.add(it.getName())));
            });
    type.getConstructors()
        .forEach(
            constructor ->
                constructor.getRawParameterTypes().forEach(it -> shown.add(it.getName())));
    type.getAllRawSuperclasses().forEach(it -> shown.add(it.getName()));
    type.getAllRawInterfaces().forEach(it -> shown.add(it.getName()));
    return shown;
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(EnginePackagesTest::outermost).orElse(type.getName());
  }

  private static boolean isPublicTopLevel(JavaClass type) {
    return type.isTopLevelClass()
        && !type.getSimpleName().equals("package-info")
        && type.getModifiers().contains(JavaModifier.PUBLIC);
  }
}
