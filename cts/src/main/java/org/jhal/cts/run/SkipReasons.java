package org.jhal.cts.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jhal.Capability;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Foreign;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Why the suite itself lets a test be skipped: what it needs is absent, or {@code skips.txt} has
 * the reason. All other tests must pass.
 */
final class SkipReasons {
  /** The start of the reason of a test that the driver's backend opts out of. */
  static final String BY_DRIVER = "left out by the driver: ";

  /** The reason of tests of external work, which a driver need not run. */
  static final String NO_EXTERNAL_WORK = Foreign.UNSUPPORTED;

  private static final String FILE = "skips.txt";

  /** A line of the file: tests, and the start of a reason that they may have. */
  private record Allowed(String pattern, Pattern compiled, String reason) {
    boolean isFor(TestName test, String display) {
      return test.matches(compiled) || new TestName(test.testClass(), display).matches(compiled);
    }
  }

  private static final List<Allowed> ALLOWED = read();

  private SkipReasons() {}

  private static List<Allowed> read() {
    List<Allowed> all = new ArrayList<>();
    InputStream in = SkipReasons.class.getResourceAsStream(FILE);
    if (in == null) {
      throw new IllegalStateException("the suite's jar has no " + FILE);
    }
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          String[] parts = line.strip().split(" +", 2);
          all.add(new Allowed(parts[0], TestName.pattern(parts[0]), parts[1]));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(FILE + " of the suite's jar cannot be read", e);
    }
    return List.copyOf(all);
  }

  /** What a test needs. */
  static List<Needs> needs(Class<?> testClass, Method test) {
    List<Needs> all = new ArrayList<>();
    AnnotationSupport.findAnnotation(testClass, Needs.class).ifPresent(all::add);
    AnnotationSupport.findAnnotation(test, Needs.class).ifPresent(all::add);
    return all;
  }

  /** The reason of a test that needs a capability which the device does not have. */
  static String absence(Capability capability) {
    return "the device does not offer " + capability;
  }

  /** The need that {@code reason} says is absent, or null. */
  static @Nullable Need need(String reason) {
    for (Need need : Need.values()) {
      if (reason.equals(need.absence())) {
        return need;
      }
    }
    return null;
  }

  /**
   * Whether {@code skips.txt} has this reason for this test.
   *
   * @param display how a report names the invocation, or the test itself if it has none
   */
  static boolean isListed(TestName test, String display, String reason) {
    return ALLOWED.stream()
        .anyMatch(one -> reason.startsWith(one.reason()) && one.isFor(test, display));
  }

  /** Whether {@code skips.txt} has any reason for this test, or for this invocation of it. */
  static boolean isListed(TestName test, String display) {
    return ALLOWED.stream().anyMatch(one -> one.isFor(test, display));
  }

  /** Whether a reason is the absence of what a test needs by its annotations. */
  private static boolean needs(Class<?> testClass, TestName test, String reason) {
    Need need = need(reason);
    return need != null
        && Arrays.stream(testClass.getDeclaredMethods())
            .filter(method -> method.getName().equals(test.method()))
            .flatMap(method -> needs(testClass, method).stream())
            .anyMatch(needs -> List.of(needs.value()).contains(need));
  }

  /** The tests that {@code skips.txt} names. */
  static List<String> patterns() {
    return ALLOWED.stream().map(Allowed::pattern).toList();
  }

  /**
   * Turns what a test of the suite was skipped with into a failure if it is not a reason of the
   * suite, so that no test gets a way out unnoticed. Returns anything else as it is.
   *
   * @param display as for {@link #isListed(TestName, String, String)}
   */
  static @Nullable Throwable check(
      Class<?> testClass, TestName test, String display, @Nullable Throwable ended) {
    if (!(ended instanceof TestAbortedException) || !CtsCatalog.isInSuite(testClass)) {
      return ended;
    }
    String message = String.valueOf(ended.getMessage());
    if (message.startsWith(Cts.UNSUPPORTED)) {
      String reason = message.substring(Cts.UNSUPPORTED.length());
      if (OwnProcess.isIt() || needs(testClass, test, reason) || isListed(test, display, reason)) {
        return ended;
      }
    }
    return new AssertionFailedError(
        "the test was skipped for a reason that " + FILE + " does not have for it: " + message,
        ended);
  }
}
