// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.plan;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;

/**
 * The name of a test in opt-outs, reports and on command lines: {@code Class.method}.
 *
 * @param testClass the simple name of its class
 * @param method the name of its method
 */
public record TestName(String testClass, String method) {
  public static TestName of(ExtensionContext context) {
    return of(context.getRequiredTestClass().getName(), context.getRequiredTestMethod().getName());
  }

  /** The name of a test or of one invocation of it, if it is one. */
  public static Optional<TestName> of(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    if (source instanceof MethodSource method) {
      return Optional.of(of(method.getClassName(), method.getMethodName()));
    }
    return Optional.empty();
  }

  private static TestName of(String className, String method) {
    return new TestName(className.substring(className.lastIndexOf('.') + 1), method);
  }

  /** Whether {@code pattern}, a class or {@code Class.method} with {@code *}, matches. */
  public boolean matches(String pattern) {
    return matches(pattern(pattern));
  }

  /** Whether a pattern from {@link #pattern(String)} matches. */
  boolean matches(Pattern pattern) {
    return pattern.matcher(toString()).matches();
  }

  /** For {@link #matches(Pattern)}, which is faster than {@link #matches(String)}. */
  static Pattern pattern(String pattern) {
    String full = pattern.contains(".") ? pattern : pattern + ".*";
    String[] parts = full.split("\\*", -1);
    StringBuilder expression = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      expression.append(i == 0 ? "" : ".*").append(Pattern.quote(parts[i]));
    }
    return Pattern.compile(expression.toString());
  }

  /**
   * The name of this test, or of one invocation of it, in reports.
   *
   * @param id the JUnit id, which distinguishes tests from invocations
   * @param invocation JUnit's name of the invocation
   */
  public String display(String id, String invocation) {
    return id.contains("invocation:") ? method + " " + invocation : method;
  }

  /** The option of {@code hal cts} for this folder of variants, or nothing if there is none. */
  public static String variantsOption(@Nullable String variants) {
    return variants == null ? "" : " --variants '" + variants + "'";
  }

  @Override
  public String toString() {
    return testClass + "." + method;
  }
}
