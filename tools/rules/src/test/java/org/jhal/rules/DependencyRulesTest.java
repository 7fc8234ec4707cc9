// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Which modules may depend on which. The poms say it too, but a class path shows more. */
class DependencyRulesTest {
  private static final String FIXTURE = "org.jhal.rules.fixture.";

  private static final Set<String> JDK =
      ModuleFinder.ofSystem().findAll().stream()
          .flatMap(module -> module.descriptor().packages().stream())
          .collect(Collectors.toUnmodifiableSet());

  @Test
  void theApiSeesOnlyTheJdkAndJSpecify() {
    assertSeesOnly("hal-api", List.of(), "org.jspecify");
  }

  @Test
  void whatIsSharedOfKernelsSeesTheApiAndNoEngine() {
    assertSeesOnly(
        "hal-kernels",
        List.of("hal-api"),
        "org.jspecify",
        "com.google.errorprone.annotations",
        "com.google.gson");
  }

  @Test
  void kernelsForVulkanSeeTheApiAndKernelsAndNoEngine() {
    assertSeesOnly(
        "hal-spirv",
        List.of("hal-api", "hal-kernels"),
        "org.jspecify",
        "com.google.errorprone.annotations");
  }

  @Test
  void theEngineSeesTheApiAndKernelsAndNoDriver() {
    assertSeesOnly(
        "hal-utils",
        List.of("hal-api", "hal-kernels"),
        "org.jspecify",
        "com.google.common",
        "com.google.errorprone.annotations");
  }

  @Test
  void collectivesSeeTheEngineAndNoDriver() {
    assertSeesOnly(
        "hal-collectives",
        List.of("hal-api", "hal-kernels", "hal-utils"),
        "org.jspecify",
        "com.google.common",
        "com.google.errorprone.annotations");
  }

  @Test
  void recordingsSeeTheEngineAndNoDriver() {
    assertSeesOnly(
        "hal-recording",
        List.of("hal-api", "hal-kernels", "hal-utils"),
        "org.jspecify",
        "com.google.common",
        "com.google.errorprone.annotations",
        "com.google.gson");
  }

  @Test
  void halGpuSeesTheEngineAndNoDriver() {
    assertSeesOnly(
        "hal-gpu",
        List.of("hal-api", "hal-kernels", "hal-utils"),
        "org.jspecify",
        "com.google.common",
        "com.google.errorprone.annotations",
        "com.sun.jna");
  }

  @Test
  void theTestKitSeesTheEngineAndNoDriver() {
    assertSeesOnly(
        "hal-testkit",
        List.of("hal-api", "hal-kernels", "hal-utils"),
        "org.jspecify",
        "com.google.common",
        "com.google.errorprone.annotations");
  }

  /** Only newer JDKs compile it; its sources alone do not show what it sees. */
  @Test
  void theBindingForNewerVersionsOfJavaSeesHalGpuAndNoDriver() {
    assumeTrue(Repository.isCompiled(Repository.FFM), "hal-gpu-ffm needs JDK 22 or newer");
    assertSeesOnly(
        Repository.FFM,
        List.of("hal-api", "hal-utils", "hal-gpu"),
        "org.jspecify",
        "org.objectweb.asm");
  }

  /** A Java without the module {@code jdk.jfr} has no flight recorder. */
  @Test
  void onlyThePackageForEventsNeedsTheFlightRecorder() {
    List<String> users =
        Repository.classes("hal-utils").stream()
            .filter(
                user ->
                    user.getDirectDependenciesFromSelf().stream()
                        .anyMatch(
                            used -> within(used.getTargetClass().getPackageName(), "jdk.jfr")))
            .map(JavaClass::getPackageName)
            .distinct()
            .toList();
    assertEquals(List.of("org.jhal.engine.flightrecorder"), users);
  }

  @Test
  void theSuiteSeesTheApiAndJUnit() {
    assertSeesOnly(
        "cts",
        List.of("hal-api"),
        "org.jspecify",
        "org.junit",
        "org.opentest4j",
        "org.apiguardian");
  }

  /** Of drivers it sees only what {@code hal compile} compiles kernels with. */
  @Test
  void theCommandLineSeesTheApiAndWhatItsCommandsRun() {
    assertSeesOnly(
        "hal-cli",
        List.of("hal-api"),
        "org.jspecify",
        "picocli",
        "com.google.gson",
        "org.jhal.kernels.cache",
        "org.jhal.kernels.check",
        "org.jhal.kernels.compile",
        "org.jhal.cpu",
        "org.jhal.spirv",
        "org.jhal.cts.run.tool",
        "org.jhal.recording.replay",
        "org.jhal.bench",
        "org.jhal.examples");
  }

  /** Only hal-cli reads options. */
  @TestFactory
  Stream<DynamicTest> noOtherModuleSeesTheCommandLine() throws IOException {
    return Stream.concat(Repository.modules().stream(), Stream.of("examples"))
        .filter(module -> !module.equals("hal-cli"))
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module,
                    () ->
                        assertEquals(
                            List.of(),
                            violations(
                                Repository.classes(module),
                                name ->
                                    !within(name, "picocli") && !within(name, "org.jhal.cli")))));
  }

  @Test
  void theStarterSeesTheApiAndSpring() {
    assertSeesOnly(
        "hal-spring-boot-starter",
        List.of("hal-api", "hal-micrometer"),
        "org.jspecify",
        "org.springframework",
        "io.micrometer.core.instrument");
  }

  @Test
  void theMetricsSeeTheApi() {
    assertSeesOnly(
        "hal-micrometer", List.of("hal-api"), "org.jspecify", "io.micrometer.core.instrument");
  }

  @Test
  void theSimulatorKnowsNoDriver() {
    assertSeesOnly(
        "gpu-simulator",
        List.of("hal-api", "hal-kernels", "hal-utils", "hal-testkit", "hal-gpu", "cts"),
        "org.jspecify",
        "com.sun.jna",
        "org.junit");
  }

  @TestFactory
  Stream<DynamicTest> aDriverSeesTheEngineAndNoOtherModule() throws IOException {
    return Repository.drivers().stream()
        .map(
            driver ->
                DynamicTest.dynamicTest(
                    driver,
                    () -> {
                      JavaClasses classes = Repository.classes(driver);
                      Set<String> own = own(classes, seenBy(driver));
                      assertEquals(
                          List.of(),
                          violations(
                              classes, name -> !within(name, "org.jhal") || own.contains(name)));
                    }));
  }

  /** Only drivers of GPUs see what these share, and only that for Vulkan what makes its kernels. */
  private static List<String> seenBy(String driver) {
    if (driver.equals("driver-vulkan")) {
      return List.of("hal-api", "hal-kernels", "hal-utils", "hal-gpu", "hal-spirv");
    }
    return List.of("driver-mock", "driver-cpu").contains(driver)
        ? List.of("hal-api", "hal-kernels", "hal-utils")
        : List.of("hal-api", "hal-kernels", "hal-utils", "hal-gpu");
  }

  @TestFactory
  Stream<DynamicTest> packagesFormNoCycle() throws IOException {
    return Repository.modules().stream()
        .map(
            module ->
                DynamicTest.dynamicTest(
                    module, () -> assertEquals(List.of(), cycles(Repository.classes(module)))));
  }

  @Test
  void controlAForbiddenDependencyIsFound() {
    JavaClasses neutral = new ClassFileImporter().importPackages(FIXTURE + "neutral");
    List<String> found = violations(neutral, own(neutral, List.of())::contains);
    assertTrue(
        found.stream().anyMatch(line -> line.contains("SeesDriver") && line.contains("Vendor")),
        found::toString);
    assertEquals(List.of(), violations(neutral, name -> name.startsWith(FIXTURE)));
  }

  @Test
  void controlACycleIsFound() {
    JavaClasses both = new ClassFileImporter().importPackages(FIXTURE + "left", FIXTURE + "right");
    assertFalse(cycles(both).isEmpty());
    JavaClasses half = new ClassFileImporter().importPackages(FIXTURE + "left");
    assertEquals(List.of(), cycles(half));
  }

  private static void assertSeesOnly(String module, List<String> modules, String... libraries) {
    JavaClasses classes = Repository.classes(module);
    assertFalse(classes.isEmpty(), () -> module + " has no classes");
    Set<String> own = own(classes, modules);
    assertEquals(
        List.of(),
        violations(
            classes,
            name ->
                own.contains(name)
                    || Stream.of(libraries).anyMatch(library -> within(name, library))));
  }

  /** The packages of these classes and of these modules. */
  private static Set<String> own(JavaClasses classes, List<String> modules) {
    Set<String> packages = new TreeSet<>(Repository.packages(classes));
    for (String module : modules) {
      packages.addAll(Repository.packages(Repository.classes(module)));
    }
    return packages;
  }

  private static boolean within(String name, String root) {
    return name.equals(root) || name.startsWith(root + ".");
  }

  /** The dependencies on packages that are neither the JDK's nor allowed, described. */
  private static List<String> violations(JavaClasses classes, Predicate<String> allowed) {
    return classes.stream()
        .flatMap(from -> from.getDirectDependenciesFromSelf().stream())
        .filter(
            dependency -> {
              JavaClass to = dependency.getTargetClass().getBaseComponentType();
              String name = to.getPackageName();
              return !to.isPrimitive() && !JDK.contains(name) && !allowed.test(name);
            })
        .map(Dependency::getDescription)
        .sorted()
        .toList();
  }

  /** An API and its {@code spi} package refer to each other by nature and count as one. */
  private static List<String> cycles(JavaClasses classes) {
    SliceAssignment packages =
        new SliceAssignment() {
          @Override
          public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replaceFirst("\\.spi$", ""));
          }

          @Override
          public String getDescription() {
            return "packages";
          }
        };
    return SlicesRuleDefinition.slices()
        .assignedFrom(packages)
        .should()
        .beFreeOfCycles()
        .evaluate(classes)
        .getFailureReport()
        .getDetails();
  }
}
