// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What users own of one device, of one kind, and that has not ended. It must stay reachable, see
 * {@link Owner}, also when the device is closed: a handle that is forgotten after that is reported
 * as well. The links are in the objects, so adding one allocates nothing.
 *
 * <p>Thread-safe.
 */
public final class LiveOwned {
  /**
   * The lists of closed devices that are not empty. The threads of an open device keep its lists
   * reachable.
   */
  private static final Set<LiveOwned> OF_CLOSED_DEVICES = ConcurrentHashMap.newKeySet();

  /**
   * Whether it keeps the Reclaimer running, as memory does. An application may hold other things
   * that its devices made for as long as it likes; for those the Reclaimer only goes on for a
   * while.
   */
  private final boolean isMemory;

  @GuardedBy("this")
  private @Nullable Owned first;

  @GuardedBy("this")
  private int size;

  @GuardedBy("this")
  private boolean isClosed; // close() was called

  LiveOwned(boolean isMemory) {
    this.isMemory = isMemory;
  }

  /** Adds one, unless that was done before. */
  public synchronized void add(Owned owned) {
    if (owned.isLive) {
      return;
    }
    Owned next = first;
    owned.nextLive = next;
    if (next != null) {
      next.previousLive = owned;
    }
    first = owned;
    owned.isLive = true;
    size++;
    // A thread may have been inside a call when the device was closed, and add one only now.
    if (isClosed && size == 1) {
      if (isMemory) {
        Reclaimer.beginUse();
      }
      OF_CLOSED_DEVICES.add(this);
    }
  }

  /** Removes one, unless that was done before. */
  public synchronized void remove(Owned owned) {
    if (!owned.isLive) {
      return;
    }
    Owned previous = owned.previousLive;
    Owned next = owned.nextLive;
    if (previous == null) {
      first = next;
    } else {
      previous.nextLive = next;
    }
    if (next != null) {
      next.previousLive = previous;
    }
    owned.previousLive = null;
    owned.nextLive = null;
    owned.isLive = false;
    size--;
    if (isClosed && size == 0) {
      OF_CLOSED_DEVICES.remove(this);
      endUse();
    }
  }

  /** The device has been opened: from now on something may be leaked. */
  void open() {
    if (isMemory) {
      Reclaimer.beginUse();
    }
  }

  /** The device starts to close. */
  synchronized void close() {
    isClosed = true;
    if (size > 0) {
      OF_CLOSED_DEVICES.add(this);
    } else {
      endUse();
    }
  }

  private void endUse() {
    if (isMemory) {
      Reclaimer.endUse();
    }
  }

  /** Whether something of a closed device may still be forgotten. */
  static boolean existOfClosedDevices() {
    return !OF_CLOSED_DEVICES.isEmpty();
  }

  public synchronized int size() {
    return size;
  }

  synchronized List<Owned> all() {
    List<Owned> all = new ArrayList<>(size);
    for (Owned owned = first; owned != null; owned = owned.nextLive) {
      all.add(owned);
    }
    return all;
  }
}
