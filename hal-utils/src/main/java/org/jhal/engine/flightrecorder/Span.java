// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.Nullable;

/**
 * Something that has begun, and is recorded when it ends.
 *
 * <p>May begin and end on different threads. Ended once.
 */
public interface Span {
  /** Records it with its outcome, as lasting until now on the calling thread. */
  void end(@Nullable String outcome);

  /** Ends {@code span} unless it is null, that is, not recorded. Throws nothing. */
  static void end(@Nullable Span span, @Nullable String outcome) {
    if (span == null) {
      return;
    }
    try {
      span.end(outcome);
    } catch (RuntimeException | LinkageError | VirtualMachineError exhausted) {
      return; // without memory or stack, only the record is lost
    }
  }
}
