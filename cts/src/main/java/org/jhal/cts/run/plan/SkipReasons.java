// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.plan;

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
import org.jhal.cts.support.ExternalCommands;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * The reasons for which the suite itself allows a test to be skipped: something that the test needs
 * is absent, or {@code skips.txt} lists the reason. All other tests must pass.
 */
public final class SkipReasons {
  /** The start of the reason of a test that the driver's backend opts out of. */
  public static final String BY_DRIVER = "left out by the driver: ";

  /** The reason for skipping tests of external work, which a driver need not run. */
  public static final String NO_EXTERNAL_WORK = ExternalCommands.UNSUPPORTED;

  private static final String FILE = "skips.txt";

  /** A line of the file: tests, and the start of a reason for which they may be skipped. */
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
  public static List<Needs> needs(Class<?> testClass, Method test) {
    List<Needs> all = new ArrayList<>();
    AnnotationSupport.findAnnotation(testClass, Needs.class).ifPresent(all::add);
    AnnotationSupport.findAnnotation(test, Needs.class).ifPresent(all::add);
    return all;
  }

  /** The reason for skipping a test that needs a capability which the device lacks. */
  public static String absence(Capability capability) {
    return "the device does not offer " + capability;
  }

  /** The need whose absence {@code reason} states, or null. */
  public static @Nullable Need need(String reason) {
    for (Need need : Need.values()) {
      if (reason.equals(need.absence())) {
        return need;
      }
    }
    return null;
  }

  /**
   * Whether {@code skips.txt} lists this reason for this test.
   *
   * @param display the name of the invocation in reports, or that of the test if it has none
   */
  public static boolean isListed(TestName test, String display, String reason) {
    return ALLOWED.stream()
        .anyMatch(one -> reason.startsWith(one.reason()) && one.isFor(test, display));
  }

  /** Whether {@code skips.txt} lists any reason for this test, or for this invocation of it. */
  public static boolean isListed(TestName test, String display) {
    return ALLOWED.stream().anyMatch(one -> one.isFor(test, display));
  }

  /** Whether a reason states the absence of something that a test's annotations require. */
  private static boolean needs(Class<?> testClass, TestName test, String reason) {
    Need need = need(reason);
    return need != null
        && Arrays.stream(testClass.getDeclaredMethods())
            .filter(method -> method.getName().equals(test.method()))
            .flatMap(method -> needs(testClass, method).stream())
            .anyMatch(needs -> List.of(needs.value()).contains(need));
  }

  /** The tests that {@code skips.txt} names. */
  public static List<String> patterns() {
    return ALLOWED.stream().map(Allowed::pattern).toList();
  }

  /**
   * Turns the skip of a test into a failure if it is not for a reason of the suite, so that no test
   * is skipped unnoticed. Returns anything else unchanged.
   *
   * @param display as for {@link #isListed(TestName, String, String)}
   * @param runsOne whether this process runs a single invocation and skips the others
   */
  public static @Nullable Throwable check(
      Class<?> testClass,
      TestName test,
      String display,
      @Nullable Throwable ended,
      boolean runsOne) {
    if (!(ended instanceof TestAbortedException) || !CtsCatalog.isInSuite(testClass)) {
      return ended;
    }
    String message = String.valueOf(ended.getMessage());
    if (message.startsWith(Cts.UNSUPPORTED)) {
      String reason = message.substring(Cts.UNSUPPORTED.length());
      if (runsOne || needs(testClass, test, reason) || isListed(test, display, reason)) {
        return ended;
      }
    }
    return new AssertionFailedError(
        "the test was skipped for a reason that " + FILE + " does not have for it: " + message,
        ended);
  }
}
