// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.util.List;
import org.jhal.cts.run.plan.CtsCatalog;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.run.report.CtsReport;
import org.junit.platform.launcher.TestIdentifier;

/**
 * A step of a run: a test, one invocation of it, a class, or an action of the run itself.
 *
 * @param name {@code Class.method}; {@code Class.*} for a step that is not a test
 * @param display the name for people
 * @param rules the rules that it checks
 * @param start when it started, by {@link System#nanoTime}
 */
record RunStep(String name, String display, List<String> rules, long start) {
  private static final String OWN = "CtsRun.*";

  /** A test or a container of tests, which starts now. */
  static RunStep of(TestIdentifier test) {
    TestName name = TestName.of(test).orElse(new TestName(test.getDisplayName(), "*"));
    String display = name.display(test.getUniqueId(), test.getDisplayName());
    return new RunStep(name.toString(), display, CtsCatalog.rules(test), System.nanoTime());
  }

  /**
   * An action of the run itself, which starts now.
   *
   * @param what such as "the opening of the device"
   */
  static RunStep own(String what) {
    return new RunStep(OWN, what, List.of(), System.nanoTime());
  }

  /** The result of this step, which ends now. */
  CtsReport.Entry entry(CtsReport.Outcome outcome, String detail) {
    return new CtsReport.Entry(name, display, rules, outcome, detail, seconds());
  }

  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  @Override
  public String toString() {
    return name.equals(OWN) ? display : name;
  }
}
