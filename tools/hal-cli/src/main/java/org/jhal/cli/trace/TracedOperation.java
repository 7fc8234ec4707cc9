// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One operation, as the events of a recording describe it. */
final class TracedOperation {
  /** A timepoint that it waits for or signals. */
  record Edge(long timeline, long value) {}

  /** When something ran, in nanoseconds since 1970. */
  record Span(long begin, long end) {}

  /**
   * When a command of a command buffer ran.
   *
   * @param number in the command buffer
   * @param kernel the number of the kernel of a dispatch, or 0
   * @param label what the program calls it, or null
   */
  record CommandRun(
      int number, String kind, long kernel, @Nullable String label, Span ran, long error) {}

  final long queue;
  final long number;
  String kind = "operation";
  long kernel;
  int commands;
  long bytes = -1; // that a transfer moves
  @Nullable String thread; // that enqueued it; null if its submission is not in the recording
  long enqueued;
  int edgesToCome; // below 0 while the submission is to come
  final List<Edge> waits = new ArrayList<>(1);
  final List<Edge> signals = new ArrayList<>(1);
  @Nullable Span known; // from its issue until the host knew its outcome
  @Nullable String failure;
  @Nullable Span onDevice;
  long error;
  final List<CommandRun> commandRuns = new ArrayList<>(0); // of a command buffer, if recorded
  @Nullable Span onHost;
  @Nullable String hostThread;

  TracedOperation(long queue, long number) {
    this.queue = queue;
    this.number = number;
  }

  /** Whether all events that every operation has are there. */
  boolean isWhole() {
    return thread != null && edgesToCome == 0 && known != null;
  }
}
