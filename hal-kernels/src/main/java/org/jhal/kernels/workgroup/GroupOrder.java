// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which accesses of workgroups that run one after the other are ordered: those that a group has
 * made before an atomic operation, before what another one does after an atomic operation at the
 * same place, and so on from group to group. An access has the number of the span of time that it
 * is in; a span ends with its group, and with each atomic operation.
 */
final class GroupOrder {
  private static final int FIRST_SPANS = 64;

  /** A place with atomic operations: for each group, the last span before its last one there. */
  private static final class Meeting {
    final Map<Long, Integer> released = new HashMap<>();
  }

  /** A place in memory. */
  private record At(SegmentedMemory memory, long at) {}

  private final Map<At, Meeting> meetings = new HashMap<>();
  private final Map<Long, Set<Meeting>> met = new HashMap<>(); // where each group was
  private Set<Meeting> own = new LinkedHashSet<>(); // of the present group
  private long group;
  private long[] groups = new long[FIRST_SPANS]; // by span
  private int span; // the present one; the first one is 1

  /** Goes on with another group. */
  void begin(long newGroup) {
    group = newGroup;
    own = new LinkedHashSet<>();
    beginSpan();
  }

  private void beginSpan() {
    span++;
    if (span == groups.length) {
      groups = Arrays.copyOf(groups, 2 * span);
    }
    groups[span] = group;
  }

  /** The present span. */
  int span() {
    return span;
  }

  /** Whose a span is. */
  long group(int of) {
    return groups[of];
  }

  /** The present group has done an atomic operation. */
  void met(SegmentedMemory memory, long at) {
    Meeting meeting = meetings.computeIfAbsent(new At(memory, at), key -> new Meeting());
    meeting.released.put(group, span);
    own.add(meeting);
    met.put(group, own);
    beginSpan();
  }

  /** Whether an access in a span is not ordered before what the present group does now. */
  boolean isUnordered(int of) {
    return groups[of] != group && !isKnown(groups[of], of);
  }

  private boolean isKnown(long by, int of) {
    if (own.stream().anyMatch(meeting -> isReleased(meeting, by, of))) {
      return true;
    }
    Set<Meeting> seen = new HashSet<>(own);
    Deque<Meeting> open = new ArrayDeque<>(own);
    for (Meeting at = open.poll(); at != null; at = open.poll()) {
      for (Long through : at.released.keySet()) {
        for (Meeting next : met.getOrDefault(through, Set.of())) {
          if (seen.add(next)) {
            if (isReleased(next, by, of)) {
              return true;
            }
            open.add(next);
          }
        }
      }
    }
    return false;
  }

  private static boolean isReleased(Meeting at, long by, int of) {
    @Nullable Integer last = at.released.get(by);
    return last != null && last >= of;
  }
}
