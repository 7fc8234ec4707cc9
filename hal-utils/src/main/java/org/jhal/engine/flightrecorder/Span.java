package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.Nullable;

/**
 * Something that has begun and is recorded when it ends.
 *
 * <p>May be begun and ended on different threads. Whoever ends it does so once.
 */
public interface Span {
  /**
   * Records it, as lasting until now, with what became of it. The thread of the event is the
   * calling one.
   */
  void end(@Nullable String outcome);

  /**
   * Ends {@code span} unless it is null, which stands for something that is not recorded. Throws
   * nothing: where memory or stack is short, a record is lost and not what it tells of.
   */
  static void end(@Nullable Span span, @Nullable String outcome) {
    if (span == null) {
      return;
    }
    try {
      span.end(outcome);
    } catch (Throwable exhausted) {
      return; // the recorder itself can tell no more
    }
  }
}
