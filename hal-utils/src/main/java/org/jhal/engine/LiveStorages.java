package org.jhal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The storages of one device that hold memory, or will, or whose owner has not let go of them: what
 * closing the device must free, and what a user may leak. The links are in the storages, so that
 * being here allocates nothing.
 *
 * <p>Thread-safe.
 */
final class LiveStorages {
  /**
   * Those of closed devices that are not empty. What of an open device is here is reachable from
   * its threads, and so are the owners of its buffers, as they have to be.
   */
  private static final Set<LiveStorages> OF_CLOSED_DEVICES = ConcurrentHashMap.newKeySet();

  private @Nullable BufferStorage first; // guarded by this, as everything here
  private int size;
  private boolean isClosed; // the device is

  synchronized void add(BufferStorage storage) {
    BufferStorage next = first;
    storage.nextLive = next;
    if (next != null) {
      next.previousLive = storage;
    }
    first = storage;
    storage.isLive = true;
    size++;
    if (isClosed && size == 1) { // somebody was in a call when the device was closed
      Reclaimer.beginUse();
      OF_CLOSED_DEVICES.add(this);
    }
  }

  /** Removes a storage, if it is still there. */
  synchronized void remove(BufferStorage storage) {
    if (!storage.isLive) {
      return;
    }
    BufferStorage previous = storage.previousLive;
    BufferStorage next = storage.nextLive;
    if (previous == null) {
      first = next;
    } else {
      previous.nextLive = next;
    }
    if (next != null) {
      next.previousLive = previous;
    }
    storage.previousLive = null;
    storage.nextLive = null;
    storage.isLive = false;
    size--;
    if (isClosed && size == 0) {
      OF_CLOSED_DEVICES.remove(this);
      Reclaimer.endUse();
    }
  }

  /** The device is open: somebody may leave a buffer behind. */
  void open() {
    Reclaimer.beginUse();
  }

  /** The device begins to close. */
  synchronized void close() {
    isClosed = true;
    if (size > 0) {
      OF_CLOSED_DEVICES.add(this);
    } else {
      Reclaimer.endUse();
    }
  }

  synchronized int size() {
    return size;
  }

  synchronized List<BufferStorage> all() {
    List<BufferStorage> all = new ArrayList<>(size);
    for (BufferStorage storage = first; storage != null; storage = storage.nextLive) {
      all.add(storage);
    }
    return all;
  }
}
