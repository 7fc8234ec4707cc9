// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.cts.run.plan.TestName;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.support.Cts;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Turns events of the launcher into entries. A container that fails gets a separate entry.
 *
 * <p>Used by the thread that runs the tests.
 */
final class RunListener implements TestExecutionListener {
  private final RunRecord record;
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
    record.enter(RunStep.of(test));
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    if (reason.equals(CtsExtension.NOT_RUN)) {
      return; // the run has ended
    }
    if (TestName.of(test).isPresent()) {
      add(RunStep.of(test), outcome(reason), reason);
    } else if (plan != null) {
      plan.getChildren(test).forEach(child -> executionSkipped(child, reason));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    RunStep step = record.leave();
    Throwable thrown = result.getThrowable().orElse(null);
    if (thrown == null) {
      if (test.isTest()) {
        add(step, CtsReport.Outcome.PASSED, "");
      }
    } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
      String reason = String.valueOf(thrown.getMessage());
      add(step, outcome(reason), reason);
    } else {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      add(step, CtsReport.Outcome.FAILED, text.toString());
    }
  }

  /** A skipped test counts as failed unless the suite gave the reason. */
  private static CtsReport.Outcome outcome(String reason) {
    if (reason.startsWith(Cts.UNSUPPORTED)) {
      return CtsReport.Outcome.UNSUPPORTED;
    }
    return reason.startsWith(CtsExtension.EXPECTED_FAILURE)
        ? CtsReport.Outcome.EXPECTED_FAILURE
        : CtsReport.Outcome.FAILED;
  }

  private void add(RunStep step, CtsReport.Outcome outcome, String detail) {
    String prefix = "^(" + Cts.UNSUPPORTED + "|" + CtsExtension.EXPECTED_FAILURE + ")";
    record.add(step.entry(outcome, detail.replaceFirst(prefix, "")));
  }
}
