// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.HalException;

/**
 * Destroys native objects that no operation uses any more. A submission that has used them may
 * still run, as it may have other operations, too; until it is over they must exist.
 *
 * <p>Thread-safe.
 */
final class Disposals {
  private record Entry(Runnable destroy, List<Mark> marks) {
    boolean isFree() {
      return marks.stream().allMatch(Mark::isOver);
    }
  }

  private record Mark(Timeline timeline, long value) {
    boolean isOver() {
      try {
        boolean isGone = value > timeline.lastSubmitting(); // handing it over has failed
        return isGone || timeline.isOver(value);
      } catch (HalException e) {
        return true; // the device is lost, and runs nothing
      }
    }
  }

  private final List<Timeline> timelines = new CopyOnWriteArrayList<>(); // of open streams

  @GuardedBy("this")
  private final List<Entry> entries = new ArrayList<>();

  private volatile boolean isAny; // written with the lock held

  void opened(Timeline timeline) {
    timelines.add(timeline);
  }

  void closed(Timeline timeline) {
    timelines.remove(timeline);
  }

  /** Destroys an object now, or when all submissions of this moment are over. */
  void add(Runnable destroy) {
    List<Mark> marks = new ArrayList<>();
    for (Timeline timeline : timelines) {
      Mark mark = new Mark(timeline, timeline.lastSubmitting());
      if (!mark.isOver()) {
        marks.add(mark);
      }
    }
    if (marks.isEmpty()) {
      destroy.run();
      return;
    }
    synchronized (this) {
      entries.add(new Entry(destroy, marks));
      isAny = true;
    }
  }

  /** Destroys what it can. */
  void look() {
    if (!isAny) {
      return;
    }
    List<Entry> free = new ArrayList<>();
    for (Entry entry : all()) {
      if (entry.isFree()) {
        free.add(entry);
      }
    }
    remove(free).forEach(entry -> entry.destroy.run());
  }

  /** Waits until everything that was added can be destroyed; whether there was anything. */
  boolean await(long nanos) {
    List<Entry> found = all();
    long end = System.nanoTime() + nanos;
    for (Entry entry : found) {
      for (Mark mark : entry.marks) {
        mark.timeline.await(mark.value, Math.max(0, end - System.nanoTime()));
      }
    }
    look();
    return !found.isEmpty();
  }

  /** Destroys everything, when all streams are idle or the device lost. */
  void close() {
    remove(all()).forEach(entry -> entry.destroy.run());
  }

  private synchronized List<Entry> all() {
    return List.copyOf(entries);
  }

  /** Removes entries, and returns those that no other thread has removed. */
  private synchronized List<Entry> remove(List<Entry> wanted) {
    List<Entry> removed = new ArrayList<>();
    for (Iterator<Entry> each = entries.iterator(); each.hasNext(); ) {
      Entry entry = each.next();
      if (wanted.contains(entry)) {
        each.remove();
        removed.add(entry);
      }
    }
    isAny = !entries.isEmpty();
    return removed;
  }
}
