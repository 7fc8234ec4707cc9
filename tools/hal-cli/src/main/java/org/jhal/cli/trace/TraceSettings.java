// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.List;

/** The events of JHAL, by which a recording is made and read. docs/tracing.md explains them. */
final class TraceSettings {
  static final String PREFIX = "org.jhal.";

  static final List<String> EVENTS =
      List.of(
          PREFIX + "Submission",
          PREFIX + "TimelineEdge",
          PREFIX + "Operation",
          PREFIX + "Execution",
          PREFIX + "HostCompletion",
          PREFIX + "HostWait",
          PREFIX + "Transfer",
          PREFIX + "Allocation",
          PREFIX + "Deallocation",
          PREFIX + "ExecutableLoad",
          PREFIX + "Compilation",
          PREFIX + "Graph",
          PREFIX + "DeviceLost",
          PREFIX + "Name");

  /** The one that changes how work is issued, and so is recorded only if it is asked for. */
  static final String COMMANDS = PREFIX + "CommandExecution";

  private TraceSettings() {}
}
