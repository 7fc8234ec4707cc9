// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two touches of the same bytes that nothing orders, perhaps of one operation. */
public final class Hazard {
  private final Touch earlier;
  private final Touch later;
  private final boolean isOfSource; // the program has written what the earlier one still reads
  private final @Nullable TimelineOrder awaited; // see RecordedOperation#awaitedBy
  private final long from;
  private final long to;

  Hazard(Touch earlier, Touch later) {
    this(earlier, later, false);
  }

  private Hazard(Touch earlier, Touch later, boolean isOfSource) {
    this.isOfSource = isOfSource;
    this.awaited = earlier.operation.awaitedBy(later.operation);
    this.earlier = earlier;
    this.later = later;
    this.from = Math.max(earlier.from, later.from);
    this.to = Math.min(earlier.to, later.to);
  }

  /** Adds one, unless one between the same operations is known: one wait is missing. */
  static void add(List<Hazard> hazards, Touch earlier, Touch later) {
    for (Hazard known : hazards) {
      if (known.earlier.operation == earlier.operation
          && known.later.operation == later.operation) {
        return;
      }
    }
    hazards.add(new Hazard(earlier, later));
  }

  /**
   * The program has changed the source of an upload too early.
   *
   * @param found by which that was found: a later upload of the same source, or the same one
   */
  static Hazard ofSource(Touch upload, Touch found) {
    return new Hazard(upload, found, true);
  }

  RecordedOperation laterOperation() {
    return later.operation;
  }

  /** Equal for hazards that the same calls cause again and again. */
  String place() {
    return later.place() + " / " + earlier.place() + later.memory.description();
  }

  /** What is wrong, and what is missing. */
  String text() {
    if (isOfSource) {
      return "hazard: the program has changed bytes ["
          + from
          + ", "
          + to
          + ") of "
          + earlier.memory.description()
          + ", while queue "
          + earlier.who()
          + " may still read them: before that, "
          + earlier.operation.hostRemedy()
          + (earlier.line().isEmpty() ? "" : "; the program enqueues it at " + earlier.line());
    }
    boolean isWithin = earlier.operation == later.operation;
    return "hazard: queue "
        + (isWithin ? later.operation + ": " + later.command : later.who())
        + " "
        + later.use.now
        + " bytes ["
        + from
        + ", "
        + to
        + ") of "
        + (later.name.isEmpty() ? "" : later.name + ", ")
        + later.memory.description()
        + ", while "
        + (isWithin ? earlier.command : "queue " + earlier.who())
        + " may still "
        + earlier.use.may
        + " "
        + (earlier.name.isEmpty() || earlier.name.equals(later.name)
            ? "them"
            : "them as " + earlier.name)
        + ": nothing orders the two; "
        + (isWithin
            ? "add a barrier between them"
            : earlier.operation.remedyFor(later.operation, awaited))
        + lines();
  }

  /** Where the program asks for both, in the order of the text; empty if neither is known. */
  String lines() {
    boolean isWithin = earlier.operation == later.operation;
    String one = isWithin ? ProgramLine.text(later.line) : later.line();
    String other = isWithin ? ProgramLine.text(earlier.line) : earlier.line();
    if (one.isEmpty() && other.isEmpty()) {
      return "";
    }
    String known = isWithin ? "; the program records " : "; the program enqueues ";
    return one.equals(other)
        ? known + "both at " + one
        : known + "the one at " + orUnknown(one) + ", the other at " + orUnknown(other);
  }

  private static String orUnknown(String line) {
    return line.isEmpty() ? "an unknown line" : line;
  }
}
