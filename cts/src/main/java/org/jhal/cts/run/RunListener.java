package org.jhal.cts.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.cts.support.Cts;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Turns what the launcher tells into entries. A container that fails is an entry of its own.
 *
 * <p>Used by the thread that runs the tests.
 */
final class RunListener implements TestExecutionListener {
  private final RunRecord record;
  private final Map<String, Long> started = new HashMap<>();
  private @Nullable TestPlan plan;

  RunListener(RunRecord record) {
    this.record = record;
  }

  @Override
  public void testPlanExecutionStarted(TestPlan testPlan) {
    plan = testPlan;
    Set<String> tests = new TreeSet<>();
    for (TestIdentifier root : testPlan.getRoots()) {
      for (TestIdentifier test : testPlan.getDescendants(root)) {
        TestName.of(test).ifPresent(name -> tests.add(name.toString()));
      }
    }
    record.begin(tests);
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    started.put(test.getUniqueId(), System.nanoTime());
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    if (reason.equals(CtsExtension.NOT_RUN)) {
      return; // the run is over
    }
    if (TestName.of(test).isPresent()) {
      add(test, outcome(reason), reason);
    } else if (plan != null) {
      plan.getChildren(test).forEach(child -> executionSkipped(child, reason));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Throwable thrown = result.getThrowable().orElse(null);
    if (thrown == null) {
      if (test.isTest()) {
        add(test, CtsReport.Outcome.PASSED, "");
      }
    } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
      String reason = String.valueOf(thrown.getMessage());
      add(test, outcome(reason), reason);
    } else {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      add(test, CtsReport.Outcome.FAILED, text.toString());
    }
  }

  /** A test that is skipped without a reason that the suite gives has failed. */
  private CtsReport.Outcome outcome(String reason) {
    if (reason.startsWith(Cts.UNSUPPORTED)) {
      return CtsReport.Outcome.UNSUPPORTED;
    }
    return reason.startsWith(CtsExtension.EXPECTED_FAILURE)
        ? CtsReport.Outcome.EXPECTED_FAILURE
        : CtsReport.Outcome.FAILED;
  }

  private void add(TestIdentifier test, CtsReport.Outcome outcome, String detail) {
    String name = TestName.of(test).map(TestName::toString).orElse(test.getDisplayName() + ".*");
    String display = name.substring(name.indexOf('.') + 1);
    if (test.getUniqueId().contains("invocation:")) {
      display += " " + test.getDisplayName();
    }
    Long start = started.get(test.getUniqueId());
    double seconds = start == null ? 0 : (System.nanoTime() - start) / 1e9;
    CtsReport.Entry entry =
        new CtsReport.Entry(
            name,
            display,
            CtsCatalog.rules(test),
            outcome,
            detail.replaceFirst(
                "^(" + Cts.UNSUPPORTED + "|" + CtsExtension.EXPECTED_FAILURE + ")", ""),
            seconds);
    record.add(entry);
  }
}
