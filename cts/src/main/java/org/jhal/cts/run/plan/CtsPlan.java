// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.plan;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.Capability;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** The contents of a complete run: each test of the suite, with each of its invocations. */
public final class CtsPlan {
  /** The parameter of a launcher that makes it list the invocations of tests, and run none. */
  public static final String PARAMETER = "jhal.cts.plan";

  /**
   * A test.
   *
   * @param name its name
   * @param rules the rules that it checks
   * @param needs what must be present, or it is skipped
   * @param capabilities what the device must be capable of, or it is skipped
   * @param displays the names of its invocations in reports, or that of the test if it has none
   */
  public record Test(
      TestName name,
      List<String> rules,
      Set<Need> needs,
      Set<Capability> capabilities,
      List<String> displays) {}

  private CtsPlan() {}

  /** All tests of the suite, by name. */
  public static Map<String, Test> ofSuite() {
    LauncherDiscoveryRequest request =
        CtsCatalog.request().configurationParameter(PARAMETER, "true").build();
    Map<String, Test> tests = new LinkedHashMap<>();
    CtsCatalog.launcher()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionSkipped(TestIdentifier id, String reason) {
                add(tests, id);
              }

              @Override
              public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                  throw new IllegalStateException(
                      "the invocations of " + id.getDisplayName() + " cannot be listed",
                      result.getThrowable().orElse(null));
                }
              }
            });
    return tests;
  }

  private static void add(Map<String, Test> tests, TestIdentifier id) {
    if (id.getSource().orElse(null) instanceof MethodSource source) {
      TestName test = TestName.of(id).orElseThrow();
      tests
          .computeIfAbsent(test.toString(), name -> test(test, source))
          .displays()
          .add(test.display(id.getUniqueId(), id.getDisplayName()));
    }
  }

  private static Test test(TestName name, MethodSource source) {
    Set<Need> needs = EnumSet.noneOf(Need.class);
    Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    for (Needs all : SkipReasons.needs(source.getJavaClass(), source.getJavaMethod())) {
      needs.addAll(List.of(all.value()));
      capabilities.addAll(List.of(all.capabilities()));
    }
    List<String> rules = CtsCatalog.rules(source.getJavaMethod());
    return new Test(name, rules, needs, capabilities, new ArrayList<>());
  }

  /** Whether this is a class, or a test that is run with several arguments. */
  public static boolean hasInvocations(ExtensionContext context) {
    String id = context.getUniqueId();
    return context.getTestMethod().isEmpty()
        || (id.contains("[test-template:") && !id.contains("[test-template-invocation:"));
  }
}
