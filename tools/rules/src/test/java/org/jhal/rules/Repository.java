// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The modules of this repository, as they lie on disk. */
final class Repository {
  /** The modules that must not know any driver, not even by name. */
  static final List<String> NEUTRAL =
      List.of(
          "hal-api",
          "hal-kernels",
          "hal-utils",
          "hal-collectives",
          "hal-recording",
          "hal-testkit",
          "hal-gpu",
          "cts");

  /** A neutral module that only newer JDKs compile. */
  static final String FFM = "hal-gpu-ffm";

  private static final String SIMULATOR = "gpu-simulator";

  private static final Map<String, JavaClasses> CLASSES = new ConcurrentHashMap<>(); // by module

  private Repository() {}

  /** The folder of the whole repository, wherever in it the test was started. */
  static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve(".mvn"))) {
      Path parent = folder.getParent();
      if (parent == null) {
        throw new IllegalStateException(
            "no folder above " + Path.of("").toAbsolutePath() + " has .mvn");
      }
      folder = parent;
    }
    return folder;
  }

  /** The folder of a module, which lies at the top or in a folder of modules. */
  static Path folder(String module) {
    return Stream.of("", "integrations", "testing", "tools")
        .map(group -> root().resolve(group).resolve(module))
        .filter(folder -> Files.exists(folder.resolve("pom.xml")))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no module " + module + " in " + root()));
  }

  /** The names of all driver modules. */
  static List<String> drivers() throws IOException {
    try (Stream<Path> folders = Files.list(root())) {
      return folders
          .filter(folder -> Files.exists(folder.resolve("pom.xml")))
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.startsWith("driver-"))
          .sorted()
          .toList();
    }
  }

  /** The names of all modules with code. */
  static List<String> modules() throws IOException {
    List<String> modules = new ArrayList<>(NEUTRAL);
    modules.addAll(drivers());
    modules.addAll(
        List.of(SIMULATOR, "hal-micrometer", "hal-spring-boot-starter", "hal-cli", "benchmarks"));
    return modules;
  }

  /**
   * The compiled code of a module.
   *
   * @throws IllegalStateException if the module was not built before this one
   */
  static Path compiled(String module) {
    Path folder = folder(module).resolve("target/classes");
    if (!Files.isDirectory(folder)) {
      throw new IllegalStateException(
          folder + " is missing: is " + module + " among the dependencies of rules or dist?");
    }
    return folder;
  }

  /** Whether a module was built before this one. */
  static boolean isCompiled(String module) {
    return Files.isDirectory(folder(module).resolve("target/classes"));
  }

  /** The compiled code of a module. That of the simulator includes the tests that drivers run. */
  static JavaClasses classes(String module) {
    return CLASSES.computeIfAbsent(
        module,
        name -> {
          List<Path> folders = new ArrayList<>(List.of(compiled(name)));
          if (name.equals(SIMULATOR)) {
            folders.add(compiled(name).resolveSibling("test-classes"));
          }
          return new ClassFileImporter().importPaths(folders);
        });
  }

  static Set<String> packages(JavaClasses classes) {
    return classes.stream()
        .map(JavaClass::getPackageName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The source files of a module, tests aside. */
  static List<Path> sources(String module) throws IOException {
    return javaFiles(folder(module).resolve("src/main/java"));
  }

  /** The source files of the simulator's tests, with those that drivers run. */
  static List<Path> testsOfSimulator() throws IOException {
    return javaFiles(folder(SIMULATOR).resolve("src/test/java"));
  }

  private static List<Path> javaFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }
}
