// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Classes that operations need are initialised before the first operation; {@code EarlyClasses}
 * says why. The initialisation of a class that runs no code cannot fail, so it does not matter.
 */
class EarlyClassesTest {
  private static final String ENGINE = "org.jhal.engine";
  private static final Set<String> ENGINE_PACKAGES =
      Stream.of(
              "",
              ".base",
              ".memory",
              ".kernel",
              ".recording",
              ".work",
              ".transfer",
              ".file",
              ".group",
              ".queue",
              ".concurrent")
          .map(room -> ENGINE + room)
          .collect(Collectors.toUnmodifiableSet());

  /** Has the transfers of streams, which are parts of operations. */
  private static final String TRANSFER = "org.jhal.driver.transfer";

  private static final String GPU = "org.jhal.gpu";

  /** Classes that find drivers, open devices or load kernels, and are used by no operation. */
  private static final Set<String> NOT_FOR_OPERATIONS =
      Set.of(
          "BindingOption",
          "DeviceCalls",
          "GpuDriver",
          "GpuRuntime",
          "GraphOptions",
          "DialectHeaders",
          "IncludeDirectives",
          "LibraryFiles",
          "Profile",
          "KernelWarmUp",
          "SelfContained",
          "SharedLibrary",
          "StackGuards");

  /** Likewise for classes of the API, and classes with a thread of their own or only counters. */
  private static final Set<String> OF_API_NOT_FOR_OPERATIONS =
      Set.of(
          "BeanThread",
          "BundleBuilder",
          "DeviceUri",
          "DriverRegistry",
          "ExplanationBean",
          "GraphStatistics",
          "Parameter",
          "Suggestion",
          "Version");

  private static final JavaClasses CLASSES = Repository.classes("hal-utils");
  private static final JavaClasses GPU_CLASSES = Repository.classes("hal-gpu");
  private static final JavaClasses API = Repository.classes("hal-api");

  /** The classes that {@code EngineDevice} initialises, by their names. */
  private static Set<String> listed() throws IOException {
    return new TreeSet<>(
        Files.readAllLines(
            Repository.root()
                .resolve("hal-utils/src/main/resources/org/jhal/engine/early-classes.txt")));
  }

  @Test
  void theEngineInitializesWhatOperationsNeed() throws IOException {
    Set<String> needed = new TreeSet<>();
    needed.addAll(late(CLASSES, ENGINE_PACKAGES));
    needed.addAll(late(CLASSES, Set.of(TRANSFER)));
    needed.addAll(late(API, Set.of("org.jhal", "org.jhal.spi")));
    assertEquals(String.join("\n", needed), String.join("\n", listed()));
  }

  @Test
  void gpuDriversInitializeWhatOperationsNeed() {
    assertEquals(
        List.of(),
        late(GPU_CLASSES, Repository.packages(GPU_CLASSES), GPU_CLASSES.get(GPU + ".GpuDevice")));
  }

  /**
   * The classes of some packages that run code at their initialisation and are in no list. A class
   * in a list may have a list of its own.
   */
  private static List<String> late(
      JavaClasses classes, Set<String> packages, JavaClass... withLists) {
    Set<String> early = new HashSet<>();
    Deque<JavaClass> found = new ArrayDeque<>(List.of(withLists));
    while (!found.isEmpty()) {
      JavaClass type = found.remove();
      if (early.add(type.getName())) {
        type.getStaticInitializer().stream()
            .flatMap(initializer -> initializer.getReferencedClassObjects().stream())
            .forEach(reference -> found.add(reference.getRawType()));
      }
    }
    return classes.stream()
        .filter(type -> packages.contains(type.getPackageName()))
        .filter(type -> type.getStaticInitializer().isPresent())
        .map(EarlyClassesTest::outermost)
        .filter(type -> !NOT_FOR_OPERATIONS.contains(type.getSimpleName()))
        .filter(type -> !OF_API_NOT_FOR_OPERATIONS.contains(type.getSimpleName()))
        .map(JavaClass::getName)
        .filter(name -> !early.contains(name))
        .distinct()
        .sorted()
        .toList();
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(EarlyClassesTest::outermost).orElse(type);
  }
}
