// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The packages of hal-gpu: which of them may see which, and what drivers can see of them. */
class GpuPackagesTest {
  private static final String GPU = "org.jhal.gpu";
  private static final String NATIVES = GPU + ".natives";
  private static final String COMPILE = GPU + ".compile";
  private static final String RUNTIME = GPU + ".runtime";
  private static final String MEMORY = GPU + ".memory";
  private static final String TRANSFER = GPU + ".transfer";
  private static final String GRAPH = GPU + ".graph";
  private static final String TIME = GPU + ".time";
  private static final String STREAM = GPU + ".stream";
  private static final String COLLECTIVE = GPU + ".collective";

  /** For each package the others that it may use; docs/design.md has the same table. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.of(
          NATIVES, Set.of(),
          COMPILE, Set.of(NATIVES),
          RUNTIME, Set.of(NATIVES, COMPILE),
          MEMORY, Set.of(NATIVES, RUNTIME),
          TRANSFER, Set.of(),
          GRAPH, Set.of(NATIVES, COMPILE, RUNTIME, MEMORY),
          TIME, Set.of(NATIVES, RUNTIME),
          STREAM, Set.of(NATIVES, COMPILE, RUNTIME, MEMORY, TRANSFER, GRAPH, TIME),
          COLLECTIVE, Set.of(NATIVES, RUNTIME, STREAM),
          GPU,
              Set.of(NATIVES, COMPILE, RUNTIME, MEMORY, TRANSFER, GRAPH, TIME, STREAM, COLLECTIVE));

  private static final Set<String> FOR_DRIVERS = Set.of(GPU, NATIVES, COMPILE, RUNTIME, TRANSFER);

  private static final List<String> USERS =
      List.of("driver-cuda", "driver-hip", "driver-vulkan", "gpu-simulator");

  /** Types that are public for the service loader, and for drivers of other runtimes. */
  private static final Set<String> NOT_FOR_DRIVERS =
      Set.of(GPU + ".HalGpu", TRANSFER + ".DeferredFrees");

  private static final JavaClasses CLASSES = Repository.classes("hal-gpu");

  @Test
  void eachPackageSeesOnlyWhatItMay() {
    assertEquals(List.of(), new PackageTable(MAY_SEE).violations(CLASSES));
  }

  @Test
  void driversSeeTheExportedPackages() {
    assertEquals(
        FOR_DRIVERS,
        descriptor().exports().stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
  }

  private static ModuleDescriptor descriptor() {
    return ModuleFinder.of(Repository.compiled("hal-gpu")).find(GPU).orElseThrow().descriptor();
  }

  /** JNA reads the structures and interfaces of libraries by reflection. */
  @Test
  void hiddenPackagesWithTypesForJnaAreOpenToIt() {
    assertEquals(
        CLASSES.stream()
            .filter(
                type ->
                    type.isAssignableTo("com.sun.jna.Structure")
                        || type.isAssignableTo("com.sun.jna.Library"))
            .map(JavaClass::getPackageName)
            .filter(name -> !FOR_DRIVERS.contains(name))
            .collect(Collectors.toMap(name -> name, name -> Set.of("com.sun.jna"), (a, b) -> a)),
        descriptor().opens().stream()
            .collect(
                Collectors.toMap(ModuleDescriptor.Opens::source, ModuleDescriptor.Opens::targets)));
  }

  /** On the class path, only this test keeps drivers from using the other packages. */
  @TestFactory
  Stream<DynamicTest> aDriverUsesOnlyWhatIsForDrivers() {
    return Stream.of("driver-cuda", "driver-hip", "driver-vulkan")
        .map(
            driver ->
                DynamicTest.dynamicTest(
                    driver,
                    () ->
                        assertEquals(
                            List.of(),
                            Repository.classes(driver).stream()
                                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                                .filter(GpuPackagesTest::isHidden)
                                .map(Dependency::getDescription)
                                .toList())));
  }

  private static boolean isHidden(Dependency dependency) {
    String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
    return MAY_SEE.containsKey(used) && !FOR_DRIVERS.contains(used);
  }

  /** A type of an exported package is one that some driver uses, or that such a type shows. */
  @Test
  void everyExportedTypeIsUsedByADriver() {
    assertEquals(
        NOT_FOR_DRIVERS,
        EnginePackagesTest.unused(CLASSES, USERS).stream()
            .filter(type -> FOR_DRIVERS.contains(type.getPackageName()))
            .map(JavaClass::getName)
            .collect(Collectors.toSet()));
  }
}
