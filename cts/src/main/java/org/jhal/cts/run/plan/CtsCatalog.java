// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.plan;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.Rule;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * All tests of the suite, which are in the packages below that of {@link CtsBackend}, and all rules
 * of the contract.
 */
public final class CtsCatalog {
  /**
   * A test.
   *
   * @param name its name
   * @param rules the rules that it checks
   */
  public record Entry(TestName name, List<String> rules) {}

  /** The package above all tests. */
  private static final String ROOT = CtsBackend.class.getPackageName();

  private static final Pattern RULE = Pattern.compile("(?m)^\\*\\*([A-Z][0-9]+[a-z]?)\\b");

  private static final String TEST_CLASS = Pattern.quote(ROOT) + "\\.[a-z]+\\.[A-Za-z]+Test";

  private CtsCatalog() {}

  /** Whether tests of this class belong to the suite. */
  static boolean isInSuite(Class<?> testClass) {
    return testClass.getName().matches(TEST_CLASS);
  }

  /** A launcher without extensions from the class path. */
  public static Launcher launcher() {
    return LauncherFactory.create(
        LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enableLauncherDiscoveryListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .build());
  }

  /** The request with which a launcher finds the tests of the suite. */
  static LauncherDiscoveryRequestBuilder request() {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(place())
        .filters(
            ClassNameFilter.includeClassNamePatterns(TEST_CLASS),
            EngineFilter.includeEngines("junit-jupiter"));
  }

  /**
   * The request with which a launcher finds at least the tests that match one of these patterns, or
   * all tests if there are no patterns. Searching all classes of the suite takes a second, which is
   * long for a run of one test.
   */
  public static LauncherDiscoveryRequestBuilder request(List<String> patterns) {
    LauncherDiscoveryRequestBuilder request = request();
    if (!patterns.isEmpty()) {
      String[] classes =
          patterns.stream().map(CtsCatalog::classNames).distinct().toArray(String[]::new);
      request.filters(ClassNameFilter.includeClassNamePatterns(classes));
    }
    return request;
  }

  /** A regular expression for the full names of the classes that a pattern of tests may match. */
  private static String classNames(String pattern) {
    // A * may also stand for a dot, so only what comes before the first * restricts the class.
    int dot = pattern.indexOf('.');
    String ofClass = dot < 0 ? pattern : pattern.substring(0, dot);
    int star = ofClass.indexOf('*');
    return ".*\\."
        + Pattern.quote(star < 0 ? ofClass : ofClass.substring(0, star))
        + (star < 0 ? "" : ".*");
  }

  /** A package cannot be searched on the module path, nor a module on the class path. */
  private static DiscoverySelector place() {
    Module module = CtsCatalog.class.getModule();
    return module.isNamed()
        ? DiscoverySelectors.selectModule(module.getName())
        : DiscoverySelectors.selectPackage(ROOT);
  }

  /**
   * The request with which a launcher finds the tests of one class, which need not be in the suite.
   */
  public static LauncherDiscoveryRequestBuilder request(Class<?> tests) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(DiscoverySelectors.selectClass(tests))
        .filters(EngineFilter.includeEngines("junit-jupiter"));
  }

  /** All tests, by name. */
  public static List<Entry> tests() {
    LauncherDiscoveryRequest request = request().build();
    var plan = launcher().discover(request);
    Map<String, Entry> tests = new TreeMap<>();
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        Optional<TestName> name = TestName.of(test);
        name.ifPresent(n -> tests.put(n.toString(), new Entry(n, rules(test))));
      }
    }
    return List.copyOf(tests.values());
  }

  /** The rules that a test cites. */
  public static List<String> rules(TestIdentifier test) {
    if (test.getSource().orElse(null) instanceof MethodSource source) {
      return rules(source.getJavaMethod());
    }
    return List.of();
  }

  /** The rules that a test's method cites. */
  public static List<String> rules(Method test) {
    Rule rule = test.getAnnotation(Rule.class);
    return rule == null ? List.of() : List.of(rule.value());
  }

  /** The rules of docs/contract.md, in its order: number and name. */
  public static Map<String, String> contract() {
    String text;
    try (InputStream in = CtsCatalog.class.getResourceAsStream("contract.md")) {
      if (in == null) {
        throw new IllegalStateException("the suite's jar has no contract.md");
      }
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("contract.md of the suite's jar cannot be read", e);
    }
    Map<String, String> rules = new LinkedHashMap<>();
    Matcher matcher = RULE.matcher(text);
    while (matcher.find()) {
      int end = text.indexOf("**", matcher.end());
      rules.put(matcher.group(1), text.substring(matcher.end(), end).strip());
    }
    return rules;
  }

  /** The order of the contract: S before Q before M, 2 before 10. */
  public static Comparator<String> ruleOrder() {
    List<String> order = List.copyOf(contract().keySet());
    return Comparator.comparingInt(order::indexOf);
  }
}
