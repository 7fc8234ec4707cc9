package org.jhal.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The owners of one device's resources of one kind that have not ended. They must stay reachable,
 * see {@link Owner}, also when the device is closed: a handle that is forgotten after that is
 * reported as well.
 *
 * <p>Thread-safe.
 */
final class LiveOwners {
  /**
   * Those of closed devices that are not empty; those of an open one its threads keep reachable. An
   * application may hold what its devices made for as long as it likes, so they do not keep the
   * Reclaimer running, but let it go on for a while.
   */
  private static final Set<LiveOwners> OF_CLOSED_DEVICES = ConcurrentHashMap.newKeySet();

  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed; // the device starts to close; set once

  void add(Owner owner) {
    owners.add(owner);
    // A thread may have been inside a call when the device was closed, and add an owner only now.
    if (isClosed) {
      settle();
    }
  }

  void remove(Owner owner) {
    owners.remove(owner);
    if (isClosed) {
      settle();
    }
  }

  /** The device starts to close. */
  void close() {
    isClosed = true;
    settle();
  }

  /** After the close: whoever has changed the owners last sees them as they are. */
  private synchronized void settle() {
    if (owners.isEmpty()) {
      OF_CLOSED_DEVICES.remove(this);
    } else {
      OF_CLOSED_DEVICES.add(this);
    }
  }

  /** Whether something of a closed device may still be forgotten. */
  static boolean existOfClosedDevices() {
    return !OF_CLOSED_DEVICES.isEmpty();
  }

  /** The owners at this time; a view. */
  Iterable<Owner> all() {
    return owners;
  }

  int size() {
    return owners.size();
  }
}
