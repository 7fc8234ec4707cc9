// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * How many classes of a package may form a cycle. Such classes can only be understood, tested and
 * changed together, so there must be few of them.
 */
class KnotsTest {
  private static final String FIXTURE = "org.jhal.rules.fixture.knot";
  private static final List<String> MODULES = List.of("hal-utils", "hal-gpu", "driver-cpu");

  /** The limit of new packages. */
  private static final int LIMIT = 10;

  /**
   * The limits of the other packages: the largest cycle in each when it was last measured, where 1
   * means none. They are only ever lowered, with the change that makes a cycle smaller.
   */
  private static final Map<String, Integer> LIMITS =
      Map.ofEntries(
          Map.entry("org.jhal.cpu", 4),
          Map.entry("org.jhal.cpu.compile", 1),
          Map.entry("org.jhal.cpu.runtime", 1),
          Map.entry("org.jhal.cpu.translate", 3),
          Map.entry("org.jhal.driver", 1),
          Map.entry("org.jhal.driver.bundle", 1),
          Map.entry("org.jhal.driver.cache", 1),
          Map.entry("org.jhal.driver.dialect", 1),
          Map.entry("org.jhal.driver.faults", 3),
          Map.entry("org.jhal.driver.options", 1),
          Map.entry("org.jhal.driver.source", 1),
          Map.entry("org.jhal.driver.support", 1),
          Map.entry("org.jhal.driver.transfer", 3),
          Map.entry("org.jhal.driver.workgroup", 1),
          Map.entry("org.jhal.engine", 2),
          Map.entry("org.jhal.engine.base", 4),
          Map.entry("org.jhal.engine.memory", 2),
          Map.entry("org.jhal.engine.kernel", 2),
          Map.entry("org.jhal.engine.recording", 1),
          Map.entry("org.jhal.engine.work", 1),
          Map.entry("org.jhal.engine.transfer", 1),
          Map.entry("org.jhal.engine.file", 1),
          Map.entry("org.jhal.engine.group", 7),
          Map.entry("org.jhal.engine.collective", 5),
          Map.entry("org.jhal.engine.concurrent", 2),
          Map.entry("org.jhal.engine.flightrecorder", 3),
          Map.entry("org.jhal.engine.queue", 4));

  @TestFactory
  Stream<DynamicTest> fewClassesFormACycle() {
    return MODULES.stream().map(Repository::classes).flatMap(KnotsTest::eachPackage);
  }

  private static Stream<DynamicTest> eachPackage(JavaClasses classes) {
    return Repository.packages(classes).stream()
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name,
                    () -> {
                      List<String> found =
                          violations(classes, name, LIMITS.getOrDefault(name, LIMIT));
                      if (!found.isEmpty()) {
                        fail(String.join("\n", found));
                      }
                    }));
  }

  private static List<String> violations(JavaClasses classes, String packageName, int limit) {
    return Knots.of(classes, packageName).stream()
        .filter(knot -> knot.size() > limit)
        .map(
            knot ->
                "%s classes of %s form a cycle; the limit is %s: %s"
                    .formatted(knot.size(), packageName, limit, String.join(", ", knot)))
        .toList();
  }

  @Test
  void controlACycleIsFound() {
    JavaClasses classes = new ClassFileImporter().importPackages(FIXTURE);
    assertEquals(List.of(Set.of("First", "Second", "Third")), Knots.of(classes, FIXTURE));
    assertEquals(List.of(), violations(classes, FIXTURE, 3));
    assertEquals(
        List.of("3 classes of " + FIXTURE + " form a cycle; the limit is 2: First, Second, Third"),
        violations(classes, FIXTURE, 2));
  }

  @Test
  void controlAChainIsNoCycle() {
    JavaClasses chain =
        new ClassFileImporter()
            .importPackages(FIXTURE)
            .that(describe("are not Third", type -> !type.getSimpleName().equals("Third")));
    assertEquals(List.of(), Knots.of(chain, FIXTURE));
  }
}
