package org.jhal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** A fence of any number of timepoints, at most one per semaphore. */
final class TimepointSet implements Fence {
  private final Timepoint[] timepoints;

  TimepointSet(List<Timepoint> timepoints) {
    this.timepoints = timepoints.toArray(new Timepoint[0]);
  }

  static Fence of(Collection<Timepoint> timepoints) {
    Objects.requireNonNull(timepoints, "timepoints");
    if (timepoints.isEmpty()) {
      return NONE;
    }
    List<Timepoint> kept = new ArrayList<>(timepoints.size());
    IdentityHashMap<TimelineSemaphore, Integer> places = new IdentityHashMap<>();
    for (Timepoint timepoint : timepoints) {
      Objects.requireNonNull(timepoint, "timepoint");
      Integer place = places.putIfAbsent(timepoint.semaphore(), kept.size());
      if (place == null) {
        kept.add(timepoint);
      } else if (kept.get(place).value() < timepoint.value()) {
        kept.set(place, timepoint);
      }
    }
    return kept.size() == 1 ? kept.get(0) : new TimepointSet(kept);
  }

  static Fence join(Fence first, Fence second) {
    List<Timepoint> all = new ArrayList<>(first.size() + second.size());
    for (Fence fence : List.of(first, second)) {
      for (int i = 0; i < fence.size(); i++) {
        all.add(new Timepoint(fence.semaphore(i), fence.value(i)));
      }
    }
    return of(all);
  }

  @Override
  public int size() {
    return timepoints.length;
  }

  @Override
  public TimelineSemaphore semaphore(int index) {
    return timepoints[index].semaphore();
  }

  @Override
  public long value(int index) {
    return timepoints[index].value();
  }

  @Override
  public String toString() {
    return List.of(timepoints).toString();
  }
}
