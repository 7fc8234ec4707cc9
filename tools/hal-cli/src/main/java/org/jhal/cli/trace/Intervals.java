// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import java.util.Map;
import java.util.TreeMap;

/**
 * The length of a union of intervals, which come in about the order of time. A limited number of
 * gaps is remembered. An interval that is earlier than all of these is not counted where it may
 * already be.
 */
final class Intervals {
  private final int most;
  private final TreeMap<Long, Long> ends = new TreeMap<>(); // by begin; disjoint
  private long forgotten; // the length of what is not remembered
  private long since = Long.MIN_VALUE; // before this, nothing is remembered
  private boolean isExact = true;

  /** Remembers at most {@code most} disjoint intervals. */
  Intervals(int most) {
    this.most = most;
  }

  void add(long begin, long end) {
    if (begin < since) {
      isExact = false;
    }
    long from = Math.max(begin, since);
    long to = end;
    if (from >= to) {
      return;
    }
    Map.Entry<Long, Long> touching = ends.floorEntry(to);
    while (touching != null && touching.getValue() >= from) {
      from = Math.min(from, touching.getKey());
      to = Math.max(to, touching.getValue());
      ends.remove(touching.getKey());
      touching = ends.floorEntry(to);
    }
    ends.put(from, to);
    if (ends.size() > most) {
      Map.Entry<Long, Long> first = ends.pollFirstEntry();
      forgotten += first.getValue() - first.getKey();
      since = first.getValue();
    }
  }

  long length() {
    long sum = forgotten;
    for (Map.Entry<Long, Long> interval : ends.entrySet()) {
      sum += interval.getValue() - interval.getKey();
    }
    return sum;
  }

  /** Whether no interval was counted in part. */
  boolean isExact() {
    return isExact;
  }
}
