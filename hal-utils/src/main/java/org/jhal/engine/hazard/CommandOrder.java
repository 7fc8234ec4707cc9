// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares the commands of one recording, which only barriers order (rule M3). */
final class CommandOrder {
  private static final Comparator<Touch> BY_PLACE =
      Comparator.<Touch>comparingLong(touch -> touch.memory.id)
          .thenComparingLong(touch -> touch.from);

  private CommandOrder() {}

  /**
   * Two commands that touch the same bytes with no barrier between them; null if there are none.
   *
   * @param touches of one operation, in the order of its commands
   */
  static @Nullable Hazard find(List<Touch> touches) {
    for (int from = 0; from < touches.size(); ) {
      int section = touches.get(from).section;
      int to = from + 1;
      boolean isOneCommand = true;
      while (to < touches.size() && touches.get(to).section == section) {
        isOneCommand &= isSameCommand(touches.get(from), touches.get(to));
        to++;
      }
      Hazard found = isOneCommand ? null : findInSection(touches.subList(from, to));
      if (found != null) {
        return found;
      }
      from = to;
    }
    return null;
  }

  /** Goes over the ranges by their starts, with those at hand that reach further. */
  private static @Nullable Hazard findInSection(List<Touch> section) {
    List<Touch> sorted = new ArrayList<>(section);
    sorted.sort(BY_PLACE);
    List<Touch> reads = new ArrayList<>();
    List<Touch> writes = new ArrayList<>();
    TouchedMemory memory = null;
    for (Touch touch : sorted) {
      if (touch.memory != memory) {
        memory = touch.memory;
        reads.clear();
        writes.clear();
      }
      boolean isWrite = touch.use.isWrite();
      Touch other = conflict(writes, touch);
      if (other == null && isWrite) {
        other = conflict(reads, touch);
      }
      if (other != null) {
        boolean isOtherFirst = section.indexOf(other) < section.indexOf(touch);
        return new Hazard(isOtherFirst ? other : touch, isOtherFirst ? touch : other);
      }
      (isWrite ? writes : reads).add(touch);
    }
    return null;
  }

  /** One of another command that reaches into the range; drops those that end before it. */
  private static @Nullable Touch conflict(List<Touch> before, Touch touch) {
    before.removeIf(other -> other.to <= touch.from);
    for (Touch other : before) {
      if (!isSameCommand(other, touch)) {
        return other;
      }
    }
    return null;
  }

  private static boolean isSameCommand(Touch one, Touch other) {
    return one.command.equals(other.command);
  }
}
