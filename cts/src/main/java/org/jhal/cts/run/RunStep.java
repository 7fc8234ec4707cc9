package org.jhal.cts.run;

import java.util.List;
import org.junit.platform.launcher.TestIdentifier;

/**
 * What a run is busy with: a test, one invocation of it, a class, or something of the run's own.
 *
 * @param name {@code Class.method}; {@code Class.*} for what is no test
 * @param display what people read
 * @param rules that it checks
 * @param start when it began, by {@link System#nanoTime}
 */
record RunStep(String name, String display, List<String> rules, long start) {
  private static final String OWN = "CtsRun.*";

  /** A test or a container of tests, which begins now. */
  static RunStep of(TestIdentifier test) {
    String name = TestName.of(test).map(TestName::toString).orElse(test.getDisplayName() + ".*");
    String display = name.substring(name.indexOf('.') + 1);
    if (test.getUniqueId().contains("invocation:")) {
      display += " " + test.getDisplayName();
    }
    return new RunStep(name, display, CtsCatalog.rules(test), System.nanoTime());
  }

  /**
   * Something of the run's own, which begins now.
   *
   * @param what such as "the opening of the device"
   */
  static RunStep own(String what) {
    return new RunStep(OWN, what, List.of(), System.nanoTime());
  }

  /** How it ended, now. */
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
