// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The mappings of one device that have no memory at all, in the order in which they began to wait
 * for it. Only the first one tries again, so that no two compete for the memory that both need.
 *
 * <p>A mapping in the line holds no memory, but its task may hold some for other purposes. When all
 * tasks of the device are in the line, none of them would ever free memory. Then the first one
 * tries once more. If that fails, the mapping fails, and the memory of its task goes to the next
 * one.
 *
 * <p>Thread-safe. No method calls the device or foreign code with the lock held.
 */
final class MemoryLine {
  private static final System.Logger LOG = System.getLogger(MemoryLine.class.getName());

  /** How long a mapping waits for tasks that do not end. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** The interval at which a wait is logged. */
  private static final Duration LONG = Duration.ofMinutes(1);

  /** A mapping in the line. */
  static final class Place {
    private final TaskDevice task;
    private final long since = System.nanoTime();
    private long triedAt; // guarded by lock
    private long seen = -1; // guarded by lock; the changes that were known then

    private Place(TaskDevice task) {
      this.task = task;
    }
  }

  private final Duration patience;
  private final Object lock = new Object();
  // All guarded by lock.
  private final Set<TaskDevice> tasks = new HashSet<>(); // that may hold memory
  private final Deque<Place> line = new ArrayDeque<>();
  private long changes; // of the two

  MemoryLine() {
    this(PATIENCE);
  }

  /**
   * Creates one.
   *
   * @param patience how long a mapping waits for tasks that do not end
   */
  MemoryLine(Duration patience) {
    this.patience = patience;
  }

  /** An attempt of a task begins, which may take memory. */
  void begin(TaskDevice task) {
    synchronized (lock) {
      var unused = tasks.add(task);
      changed();
    }
  }

  /** An attempt is over, and its last operation has retired. */
  void end(TaskDevice task) {
    synchronized (lock) {
      var unused = tasks.remove(task);
      changed();
    }
  }

  /** A mapping of {@code task} has released all its memory, and cannot continue. */
  Place join(TaskDevice task) {
    Place place = new Place(task);
    synchronized (lock) {
      line.add(place);
      changed();
    }
    return place;
  }

  /** The mapping has memory again, or has ended. */
  void leave(Place place) {
    synchronized (lock) {
      var unused = line.remove(place);
      changed();
    }
  }

  private void changed() {
    changes++;
    lock.notifyAll();
  }

  /**
   * Waits until the mapping should try again. Memory may be freed at any time without notice, so it
   * tries at intervals.
   *
   * @return false if it should give up: no other task can free memory, or none has for a long time
   * @throws RuntimeException as {@link TaskDevice#checkGoesOn}
   */
  boolean await(Place place) {
    String activity = "waited for memory of the device";
    long loggedAt = place.since;
    try {
      while (true) {
        synchronized (lock) {
          boolean isFirst = line.peek() == place;
          if (isFirst && isToTry(place)) {
            return true;
          }
          if ((isFirst && isAlone(place)) || isOlder(place.since, patience)) {
            return false;
          }
          lock.wait(TaskDevice.LOOK.toMillis());
        }
        place.task.checkGoesOn(activity);
        if (isOlder(loggedAt, LONG)) {
          loggedAt = System.nanoTime();
          LOG.log(Level.WARNING, place.task + " still waits for memory that other tasks hold");
        }
      }
    } catch (InterruptedException e) {
      throw place.task.interrupted(activity);
    }
  }

  private boolean isToTry(Place place) {
    boolean isNew = place.seen != changes;
    if (isNew || (!isAlone(place) && isOlder(place.triedAt, TaskDevice.LOOK))) {
      place.seen = changes;
      place.triedAt = System.nanoTime();
      return true;
    }
    return false;
  }

  /** Whether all others are in the line as well. */
  private boolean isAlone(Place place) {
    return tasks.stream()
        .allMatch(task -> task == place.task || line.stream().anyMatch(own -> own.task == task));
  }

  private static boolean isOlder(long nanoTime, Duration age) {
    return System.nanoTime() - nanoTime > age.toNanos();
  }

  /** How many wait. */
  int length() {
    synchronized (lock) {
      return line.size();
    }
  }
}
