// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The packages of cts, gpu-simulator and benchmarks: which of them may see which. */
class SuitePackagesTest {
  private static final String CTS = "org.jhal.cts";
  private static final String KERNELS = CTS + ".kernels";
  private static final String ARITHMETIC = CTS + ".arithmetic";
  private static final String SUPPORT = CTS + ".support";
  private static final String HTML = CTS + ".html";
  private static final String RUN = CTS + ".run";
  private static final String SUITE = RUN + ".CtsSuite";
  private static final String PLAN = RUN + ".plan";
  private static final String RUN_REPORT = RUN + ".report";

  /** The packages of tests, by the contract's subjects. */
  private static final List<String> SUBJECTS =
      List.of(
          CTS + ".semaphore",
          CTS + ".queue",
          CTS + ".external",
          CTS + ".transfer",
          CTS + ".collective",
          CTS + ".command",
          CTS + ".memory",
          CTS + ".kernel",
          CTS + ".device",
          CTS + ".driver",
          CTS + ".stress");

  private static final String SIMULATOR = "org.jhal.simulator";
  private static final String KIT = SIMULATOR + ".kit";
  private static final String FIXTURE = SIMULATOR + ".fixture";

  private static final String BENCH = "org.jhal.bench";
  private static final String MEASURE = BENCH + ".measure";
  private static final String KERNEL = BENCH + ".kernel";
  private static final String BASELINES = BENCH + ".baselines";
  private static final String CASES = BENCH + ".cases";
  private static final String REPORT = BENCH + ".report";

  /** The packages of cases, by what they measure; none uses another. */
  private static final List<String> CASES_BY_KIND =
      List.of(
          CASES + ".host", CASES + ".vendor", CASES + ".bulk", CASES + ".peer", CASES + ".compute");

  /** Tests use no other test, and nothing of the runner but what makes them tests of the suite. */
  private static PackageTable suite() {
    Map<String, Set<String>> maySee = new HashMap<>();
    maySee.put(KERNELS, Set.of());
    maySee.put(ARITHMETIC, Set.of());
    maySee.put(CTS, Set.of(KERNELS));
    maySee.put(SUPPORT, Set.of(CTS));
    maySee.put(CTS + ".faults", Set.of(KERNELS, SUPPORT));
    maySee.put(HTML, Set.of());
    maySee.put(PLAN, Set.of(CTS, SUPPORT));
    maySee.put(RUN_REPORT, Set.of(CTS, HTML, PLAN));
    maySee.put(RUN, Set.of(CTS, SUPPORT, PLAN, RUN_REPORT));
    maySee.put(RUN + ".tool", Set.of(CTS, KERNELS, HTML, PLAN, RUN_REPORT, RUN));
    for (String subject : SUBJECTS) {
      maySee.put(subject, Set.of(CTS, KERNELS, ARITHMETIC, SUPPORT, SUITE));
    }
    return new PackageTable(maySee);
  }

  @Test
  void eachPackageOfTheSuiteSeesOnlyWhatItMay() {
    assertEquals(List.of(), suite().violations(Repository.classes("cts")));
  }

  /** The suite's catalogue finds tests by these names. */
  @Test
  void testsOfTheSuiteEndInTest() {
    List<JavaClass> tests =
        Repository.classes("cts").stream().filter(type -> type.isAnnotatedWith(SUITE)).toList();
    assertTrue(tests.size() > 40, () -> tests.size() + " tests");
    assertEquals(
        List.of(),
        tests.stream()
            .map(JavaClass::getName)
            .filter(name -> !name.matches("org\\.jhal\\.cts\\.[a-z]+\\.[A-Za-z]+Test"))
            .toList());
  }

  @Test
  void othersSeeTheExportedPackagesOfTheSuite() {
    ModuleDescriptor module =
        ModuleFinder.of(Repository.compiled("cts")).find(CTS).orElseThrow().descriptor();
    assertEquals(
        Set.of(CTS, CTS + ".faults", HTML, KERNELS, ARITHMETIC, RUN + ".tool"),
        module.exports().stream()
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));
  }

  /** Tests of one subject use none of another. */
  @Test
  void eachPackageOfTheSimulatorSeesOnlyWhatItMay() {
    Map<String, Set<String>> maySee = new HashMap<>();
    maySee.put(SIMULATOR, Set.of());
    maySee.put(KIT, Set.of(SIMULATOR));
    maySee.put(FIXTURE, Set.of(SIMULATOR, KIT));
    for (String subject : List.of(".collective", ".group", ".faults", ".tests")) {
      maySee.put(SIMULATOR + subject, Set.of(SIMULATOR, KIT, FIXTURE));
    }
    assertEquals(
        List.of(), new PackageTable(maySee).violations(Repository.classes("gpu-simulator")));
  }

  @Test
  void eachPackageOfTheBenchmarksSeesOnlyWhatItMay() {
    Map<String, Set<String>> maySee = new HashMap<>();
    maySee.put(MEASURE, Set.of());
    maySee.put(KERNEL, Set.of(MEASURE));
    maySee.put(BASELINES, Set.of(MEASURE, KERNEL));
    maySee.put(CASES, Set.of(MEASURE, KERNEL, BASELINES));
    for (String kind : CASES_BY_KIND) {
      maySee.put(kind, Set.of(MEASURE, KERNEL, BASELINES, CASES));
    }
    maySee.put(REPORT, Set.of(MEASURE));
    Set<String> seenByTool = new HashSet<>(CASES_BY_KIND);
    seenByTool.addAll(Set.of(MEASURE, KERNEL, REPORT));
    maySee.put(BENCH, seenByTool);
    maySee.put(BENCH + ".micro", Set.of(KERNEL));
    maySee.put(BENCH + ".micro.jmh_generated", Set.of(BENCH + ".micro"));
    PackageTable table = new PackageTable(maySee);
    assertEquals(List.of(), table.violations(Repository.classes("benchmarks")));
  }

  @Test
  void controlAForbiddenUseIsFound() {
    String neutral = "org.jhal.rules.fixture.neutral";
    String driver = "org.jhal.rules.fixture.driver";
    JavaClasses both = new ClassFileImporter().importPackages(neutral, driver);
    assertEquals(
        List.of(),
        new PackageTable(Map.of(neutral, Set.of(driver), driver, Set.of())).violations(both));
    assertEquals(
        List.of(),
        new PackageTable(Map.of(neutral, Set.of(driver + ".Vendor"), driver, Set.of()))
            .violations(both));
    List<String> found =
        new PackageTable(Map.of(neutral, Set.of(driver + ".Other"), driver, Set.of()))
            .violations(both);
    assertTrue(
        !found.isEmpty() && found.stream().allMatch(line -> line.contains("SeesDriver")),
        found::toString);
    assertEquals(
        List.of("the table does not have " + driver, "the table has gone, which is not there"),
        new PackageTable(Map.of(neutral, Set.of(), "gone", Set.of())).violations(both));
  }
}
