// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * A fence of any number of timepoints, at most one per semaphore.
 *
 * <p>Joining two fences only records them: their timepoints are gathered on the first access. So a
 * program can collect timepoints one by one, in time proportional to their number.
 */
final class TimepointSet implements Fence {
  /** Two joined fences, whose timepoints are not gathered yet. */
  private record Join(Fence first, Fence second) {}

  /**
   * How far the number of recorded timepoints may exceed twice the number of semaphores. Beyond
   * that, they are gathered immediately, so that a fence whose semaphores stay the same does not
   * grow.
   */
  private static final int SPARE = 16;

  /** The maximum number of timepoints of a fence that messages name. */
  static final int MOST_NAMED = 8;

  /**
   * A {@code Timepoint[]}, or a {@link Join} that is not gathered yet. Any thread may replace the
   * latter by the former; all threads would write the same timepoints.
   */
  private volatile Object content;

  private final int noted; // number of recorded timepoints, duplicates for a semaphore included
  private final int least; // a lower bound of the number of semaphores

  private TimepointSet(Timepoint[] timepoints) {
    content = timepoints;
    noted = timepoints.length;
    least = timepoints.length;
  }

  private TimepointSet(Join join, int noted, int least) {
    this.content = join;
    this.noted = noted;
    this.least = least;
  }

  static TimepointSet none() {
    return new TimepointSet(new Timepoint[0]);
  }

  static Fence of(Collection<Timepoint> timepoints) {
    Objects.requireNonNull(timepoints, "timepoints");
    if (timepoints.isEmpty()) {
      return NONE;
    }
    Gatherer gatherer = new Gatherer(timepoints.size());
    for (Timepoint timepoint : timepoints) {
      gatherer.add(Objects.requireNonNull(timepoint, "timepoint"));
    }
    return gatherer.kept.size() == 1
        ? gatherer.kept.get(0)
        : new TimepointSet(gatherer.timepoints());
  }

  static Fence join(Fence first, Fence second) {
    if (first == NONE) {
      return second;
    }
    if (second == NONE) {
      return first;
    }
    if (first instanceof Timepoint a && second instanceof Timepoint b) {
      return of(List.of(a, b));
    }
    Join join = new Join(first, second);
    int noted = noted(first) + noted(second);
    int least = Math.max(least(first), least(second));
    // The number of timepoints doubles before they are gathered again, so adding one costs O(1)
    // amortized.
    return noted <= 2 * least + SPARE
        ? new TimepointSet(join, noted, least)
        : new TimepointSet(gather(join));
  }

  private static int noted(Fence fence) {
    return fence instanceof TimepointSet set ? set.noted : 1;
  }

  private static int least(Fence fence) {
    return fence instanceof TimepointSet set ? set.least : 1;
  }

  /** Keeps for each semaphore the timepoint with the largest value. */
  private static final class Gatherer {
    private final List<Timepoint> kept;
    private final IdentityHashMap<TimelineSemaphore, Integer> places = new IdentityHashMap<>();

    Gatherer(int expected) {
      kept = new ArrayList<>(expected);
    }

    void add(Timepoint timepoint) {
      Integer place = places.putIfAbsent(timepoint.semaphore(), kept.size());
      if (place == null) {
        kept.add(timepoint);
      } else if (kept.get(place).value() < timepoint.value()) {
        kept.set(place, timepoint);
      }
    }

    Timepoint[] timepoints() {
      return kept.toArray(new Timepoint[0]);
    }
  }

  /**
   * Gathers the timepoints. Not recursive, because a fence may be joined from any number of others.
   */
  private static Timepoint[] gather(Join all) {
    Gatherer gatherer = new Gatherer(noted(all.first) + noted(all.second));
    ArrayDeque<Fence> rest = new ArrayDeque<>();
    rest.push(all.second);
    rest.push(all.first);
    while (!rest.isEmpty()) {
      Fence next = rest.pop();
      if (next instanceof Timepoint timepoint) {
        gatherer.add(timepoint);
      } else if (((TimepointSet) next).content instanceof Join join) {
        rest.push(join.second);
        rest.push(join.first);
      } else {
        for (Timepoint timepoint : ((TimepointSet) next).timepoints()) {
          gatherer.add(timepoint);
        }
      }
    }
    return gatherer.timepoints();
  }

  private Timepoint[] timepoints() {
    Object now = content;
    if (now instanceof Join join) {
      now = gather(join);
      content = now;
    }
    return (Timepoint[]) now;
  }

  @Override
  public int size() {
    return timepoints().length;
  }

  @Override
  public TimelineSemaphore semaphore(int index) {
    return timepoints()[index].semaphore();
  }

  @Override
  public long value(int index) {
    return timepoints()[index].value();
  }

  /** Names the first timepoints, and counts the others, of which there may be thousands. */
  @Override
  public String toString() {
    Timepoint[] all = timepoints();
    StringJoiner text = new StringJoiner(", ", "[", "]");
    for (int i = 0; i < all.length && i < MOST_NAMED; i++) {
      text.add(all[i].toString());
    }
    if (all.length > MOST_NAMED) {
      text.add("and " + (all.length - MOST_NAMED) + " more");
    }
    return text.toString();
  }
}
