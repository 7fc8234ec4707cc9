package org.jhal.cts.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jhal.cts.CtsBackend;
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
record TestName(String testClass, String method) {
  static TestName of(ExtensionContext context) {
    return of(context.getRequiredTestClass().getName(), context.getRequiredTestMethod().getName());
  }

  /** The name of a test or of one invocation of it, if it is one. */
  static Optional<TestName> of(TestIdentifier test) {
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
  boolean matches(String pattern) {
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
  String display(String id, String invocation) {
    return id.contains("invocation:") ? method + " " + invocation : method;
  }

  /** The commands that run this test alone. */
  String repeat(CtsSession session, boolean withSeed) {
    String seed = String.valueOf(session.seed());
    String variants = System.getProperty(CtsBackend.VARIANTS_PROPERTY);
    String command =
        "./hal cts --device '"
            + session.uri()
            + "'"
            + variantsOption(variants)
            + " --tests "
            + this
            + (withSeed ? " --seed " + seed : "");
    String module = System.getProperty("basedir"); // set by Maven in the JVM of its tests
    if (module == null) {
      return command;
    }
    return command
        + "\n          or: "
        + maven(Path.of(module))
        + " -Dtest='"
        + testClass
        + "#"
        + method
        + "' -D"
        + CtsSession.DEVICE_PROPERTY
        + "='"
        + session.uri()
        + "'"
        + (variants == null ? "" : " -D" + CtsBackend.VARIANTS_PROPERTY + "='" + variants + "'")
        + (withSeed ? " -D" + CtsSession.SEED_PROPERTY + "=" + seed : "");
  }

  /** The option of {@code hal cts} for this folder of variants, or nothing if there is none. */
  static String variantsOption(@Nullable String variants) {
    return variants == null ? "" : " --variants '" + variants + "'";
  }

  /**
   * The Maven command for the project in a folder. It is to be run from the outermost enclosing
   * folder that also has a pom.
   */
  static String maven(Path module) {
    Path root = module;
    for (Path outer = root.getParent(); outer != null; outer = outer.getParent()) {
      if (!Files.exists(outer.resolve("pom.xml"))) {
        break;
      }
      root = outer;
    }
    return root.equals(module)
        ? "mvn verify"
        : "mvn -pl "
            + root.relativize(module)
            + " -am verify -Dsurefire.failIfNoSpecifiedTests=false";
  }

  @Override
  public String toString() {
    return testClass + "." + method;
  }
}
