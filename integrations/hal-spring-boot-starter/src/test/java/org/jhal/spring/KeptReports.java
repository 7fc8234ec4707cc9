// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Keeps what Spring Boot reports of an application that does not start. */
class KeptReports implements FailureAnalysisReporter {
  static volatile @Nullable FailureAnalysis last;

  @Override
  public void report(FailureAnalysis analysis) {
    last = analysis;
  }
}
