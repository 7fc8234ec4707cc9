// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/** The tests of the suite. */
class CatalogTests {
  /** The classes of the suite's tests, with their packages. */
  private static Set<String> classes() {
    var plan = CtsCatalog.launcher().discover(CtsCatalog.request().build());
    Set<String> classes = new TreeSet<>();
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        if (test.getSource().orElse(null) instanceof MethodSource method) {
          classes.add(method.getClassName());
        }
      }
    }
    return classes;
  }

  private static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  /** Classes that share a simple name, by that name. */
  private static Map<String, Set<String>> ambiguous(Set<String> classes) {
    Map<String, Set<String>> byName =
        classes.stream()
            .collect(
                Collectors.groupingBy(
                    CatalogTests::simpleName, TreeMap::new, Collectors.toCollection(TreeSet::new)));
    byName.values().removeIf(sharing -> sharing.size() == 1);
    return byName;
  }

  private static Set<String> matching(LauncherDiscoveryRequestBuilder request, String pattern) {
    var plan = CtsCatalog.launcher().discover(request.build());
    Set<String> tests = new TreeSet<>();
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        TestName.of(test)
            .filter(name -> name.matches(pattern))
            .ifPresent(name -> tests.add(name.toString()));
      }
    }
    return tests;
  }

  /** It searches fewer classes, but all that may have such a test. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SemaphoreTest",
        "Semaphore*",
        "*SubmissionTest",
        "SemaphoreTest.aSignalMaySkipValues",
        "Q*Test.a*Waits*",
        "*.aLongChainKeepsItsOrder",
        "*",
        "CtsBackendTest",
        "NoSuchTest"
      })
  void aRequestFindsAllMatchingTests(String pattern) {
    assertEquals(
        matching(CtsCatalog.request(), pattern),
        matching(CtsCatalog.request(List.of("NoSuchTest.either", pattern)), pattern));
  }

  private static Stream<Method> tests() {
    var plan = CtsCatalog.launcher().discover(CtsCatalog.request().build());
    return plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .map(test -> test.getSource().orElse(null))
        .filter(MethodSource.class::isInstance)
        .map(source -> ((MethodSource) source).getJavaMethod());
  }

  /** The annotations of a test and of its class. */
  private static <A extends Annotation> Stream<A> annotations(Method test, Class<A> type) {
    return Stream.of(test, test.getDeclaringClass())
        .flatMap(place -> Stream.ofNullable(place.getAnnotation(type)));
  }

  /** A device with one queue can run every test that does not need more. */
  @Test
  void aTestThatOpensADeviceWithSeveralQueuesNeedsThem() {
    List<String> several =
        tests()
            .filter(
                test ->
                    annotations(test, FreshDevice.class)
                        .flatMap(fresh -> Stream.of(fresh.value()))
                        .anyMatch(option -> option.matches("queues=([2-9]|\\d\\d+)")))
            .filter(
                test ->
                    annotations(test, Needs.class)
                        .flatMap(needs -> Stream.of(needs.value()))
                        .noneMatch(Set.of(Need.TWO_QUEUES, Need.THREE_QUEUES)::contains))
            .map(test -> test.getDeclaringClass().getSimpleName() + "." + test.getName())
            .toList();
    assertEquals(List.of(), several);
  }

  /** Opt-outs, reports and {@code --tests} name tests without their packages. */
  @Test
  void simpleNamesOfTestClassesAreUnique() {
    Set<String> classes = classes();
    assertTrue(classes.contains("org.jhal.cts.semaphore.SemaphoreTest"), classes::toString);
    assertEquals(Map.of(), ambiguous(classes));
  }

  @Test
  void controlASimpleNameInTwoPackagesIsFound() {
    assertEquals(
        Map.of("ATest", Set.of("x.ATest", "y.ATest")),
        ambiguous(Set.of("x.ATest", "x.BTest", "y.ATest")));
  }
}
