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
