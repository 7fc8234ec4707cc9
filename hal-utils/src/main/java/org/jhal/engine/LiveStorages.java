package org.jhal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The storages of one device that hold memory, will hold memory, or have an owner that was not
 * closed. Closing the device frees them, and a user may leak them. The links are in the storages,
 * so adding one allocates nothing.
 *
 * <p>Thread-safe.
 */
final class LiveStorages {
  /**
   * The lists of closed devices that are not empty. They must stay reachable, and with them the
   * owners of the buffers. Those of an open device are reachable from its threads.
   */
  private static final Set<LiveStorages> OF_CLOSED_DEVICES = ConcurrentHashMap.newKeySet();

  // All guarded by this.
  private @Nullable BufferStorage first;
  private int size;
  private boolean isClosed; // close() was called

  synchronized void add(BufferStorage storage) {
    BufferStorage next = first;
    storage.nextLive = next;
    if (next != null) {
      next.previousLive = storage;
    }
    first = storage;
    storage.isLive = true;
    size++;
    // A thread may have been inside a call when the device was closed, and add a storage only now.
    if (isClosed && size == 1) {
      Reclaimer.beginUse();
      OF_CLOSED_DEVICES.add(this);
    }
  }

  /** Removes a storage, unless that was done before. */
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

  /** The device has been opened: from now on buffers may be leaked. */
  void open() {
    Reclaimer.beginUse();
  }

  /** The device starts to close. */
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
