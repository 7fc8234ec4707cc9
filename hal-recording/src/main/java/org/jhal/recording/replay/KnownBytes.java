// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.recording.format.Range;

/**
 * Which bytes of the memories of a replay are those that the program had there: not those that
 * nothing has written, nor what could not be repeated, nor what was computed from either. Used by
 * one thread.
 */
final class KnownBytes {
  private final Map<Integer, RangeSet<Long>> known = new HashMap<>(); // by memory

  private static com.google.common.collect.Range<Long> span(Range range) {
    return com.google.common.collect.Range.closedOpen(
        range.offset(), range.offset() + range.length());
  }

  private RangeSet<Long> of(Range range) {
    return known.computeIfAbsent(range.memory(), memory -> TreeRangeSet.create());
  }

  void set(Range range, boolean isKnown) {
    if (range.length() == 0) {
      return;
    } else if (isKnown) {
      of(range).add(span(range));
    } else {
      of(range).remove(span(range));
    }
  }

  boolean isKnown(Range range) {
    return range.length() == 0 || of(range).encloses(span(range));
  }

  void copy(Range from, Range to) {
    List<com.google.common.collect.Range<Long>> parts =
        from.length() == 0 ? List.of() : List.copyOf(of(from).subRangeSet(span(from)).asRanges());
    set(to, false);
    long shift = to.offset() - from.offset();
    for (com.google.common.collect.Range<Long> part : parts) {
      long begin = part.lowerEndpoint();
      set(new Range(to.memory(), begin + shift, part.upperEndpoint() - begin), true);
    }
  }

  /** Anything may have been written. */
  void forgetAll() {
    known.clear();
  }

  void forget(int memory) {
    known.remove(memory);
  }
}
