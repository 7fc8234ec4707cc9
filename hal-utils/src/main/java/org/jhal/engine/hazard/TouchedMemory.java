// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * For each range of one memory, the last operation that wrote it and those that have read it since,
 * without those that a later one follows and those whose end the host has observed. Guarded by the
 * record's lock.
 */
public final class TouchedMemory {
  /** How many touches of a range are kept that nothing orders; older ones are forgotten. */
  private static final int MOST = 4096;

  /** Bytes that the same operations touch. */
  private static final class Range {
    final long to;
    final List<Touch> touches;

    Range(long to, List<Touch> touches) {
      this.to = to;
      this.touches = touches;
    }
  }

  private static final AtomicLong COUNT = new AtomicLong();

  final long id = COUNT.incrementAndGet();
  private volatile String description; // for people
  private final TreeMap<Long, Range> ranges = new TreeMap<>(); // by their starts; disjoint
  private long writes;

  public TouchedMemory(String description) {
    this.description = description;
  }

  /** For any thread. */
  public void setDescription(String given) {
    description = given;
  }

  String description() {
    return description;
  }

  /** Adds a touch, and adds to {@code hazards} earlier ones that it may overlap in time. */
  void add(Touch touch, List<Hazard> hazards) {
    if (touch.use.isWrite()) {
      writes++;
    }
    Range whole = ranges.get(touch.from);
    if (whole != null && whole.to == touch.to) { // the most frequent case
      addTo(whole.touches, touch, hazards);
      return;
    }
    cutAt(touch.from);
    cutAt(touch.to);
    Map<Long, Range> covered = ranges.subMap(touch.from, touch.to);
    boolean isAlone = true; // everywhere
    long next = touch.from;
    List<long[]> gaps = new ArrayList<>();
    for (Map.Entry<Long, Range> entry : covered.entrySet()) {
      if (next < entry.getKey()) {
        gaps.add(new long[] {next, entry.getKey()});
      }
      addTo(entry.getValue().touches, touch, hazards);
      isAlone &= entry.getValue().touches.size() == 1;
      next = entry.getValue().to;
    }
    if (next < touch.to) {
      gaps.add(new long[] {next, touch.to});
    }
    if (touch.use.isWrite() && isAlone) {
      covered.clear();
      ranges.put(touch.from, new Range(touch.to, listOf(touch)));
      return;
    }
    for (long[] gap : gaps) {
      ranges.put(gap[0], new Range(gap[1], listOf(touch)));
    }
  }

  /** How many writes were ever added, of whatever range. */
  long writes() {
    return writes;
  }

  /** Reads of the same range whose digest is known, and whose end the host has not seen. */
  List<Touch> openReadsLike(Touch touch) {
    Range range = ranges.get(touch.from);
    if (range == null || range.to != touch.to) {
      return List.of();
    }
    List<Touch> found = new ArrayList<>();
    for (Touch earlier : range.touches) {
      if (earlier.operation.digest != SourceDigest.UNKNOWN && !earlier.operation.isOver()) {
        found.add(earlier);
      }
    }
    return found;
  }

  /** Whether an operation other than this one may write some of the bytes. */
  boolean isWrittenBeside(RecordedOperation operation, long from, long to) {
    Long first = ranges.floorKey(from);
    for (Range range : ranges.subMap(first == null ? from : first, to).values()) {
      for (Touch touch : range.to > from ? range.touches : List.<Touch>of()) {
        if (touch.operation != operation && touch.use.isWrite() && !touch.operation.isOver()) {
          return true;
        }
      }
    }
    return false;
  }

  private static List<Touch> listOf(Touch touch) {
    List<Touch> list = new ArrayList<>(2);
    list.add(touch);
    return list;
  }

  private void cutAt(long at) {
    Map.Entry<Long, Range> below = ranges.lowerEntry(at);
    if (below != null && below.getValue().to > at) {
      Range cut = below.getValue();
      ranges.put(below.getKey(), new Range(at, cut.touches));
      ranges.put(at, new Range(cut.to, new ArrayList<>(cut.touches)));
    }
  }

  /** Compares a touch with those of a range, and puts it in the place of those that it follows. */
  private static void addTo(List<Touch> touches, Touch touch, List<Hazard> hazards) {
    boolean isWrite = touch.use.isWrite();
    int kept = 0;
    boolean isCovered = false; // by a write of the same operation, or by a hazard that fails it
    for (int i = 0; i < touches.size(); i++) {
      Touch earlier = touches.get(i);
      if (earlier.operation == touch.operation) {
        isCovered |= earlier.use.isWrite();
        if (isWrite && !earlier.use.isWrite()) {
          continue;
        }
      } else if (earlier.operation.isOver()) {
        continue;
      } else if (earlier.operation.isBefore(touch.operation)) {
        if (isWrite || !earlier.use.isWrite()) {
          continue; // whatever follows this one follows that one
        }
      } else if (isWrite || earlier.use.isWrite()) {
        Hazard.add(hazards, earlier, touch);
        if (touch.operation.onHazard() == null) {
          continue; // one report for it is enough
        }
        isCovered = true; // this one fails, and perhaps never runs
      }
      touches.set(kept++, earlier);
    }
    touches.subList(kept, touches.size()).clear();
    if (!isCovered) {
      if (kept == MOST) {
        touches.remove(touches.get(0).use.isWrite() ? 1 : 0); // rather a read than the last write
      }
      touches.add(touch);
    }
  }
}
