// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;

/** A summary as JSON for programs, with the names of {@link TraceSummary} and its parts. */
final class SummaryJson {
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();

  private SummaryJson() {}

  static String of(TraceSummary summary) {
    return GSON.toJson(summary);
  }
}
