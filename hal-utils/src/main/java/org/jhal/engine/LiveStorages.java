package org.jhal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * The storages of one device that hold memory, will hold memory, or have an owner that was not
 * closed. Closing the device frees them, and a user may leak them. The links are in the storages,
 * so adding one allocates nothing.
 *
 * <p>Thread-safe.
 */
final class LiveStorages {
  /** A storage, with its links, which are guarded by the monitor of its list. */
  abstract static class Entry extends RefCounted {
    private @Nullable Entry previous;
    private @Nullable Entry next;
    private boolean isLive;

    /**
     * Frees the memory, as its device is being closed and nothing uses it any more. The device is
     * bound.
     */
    abstract void endWithDevice();
  }

  /**
   * The lists of closed devices that are not empty. They must stay reachable, and with them the
   * owners of the buffers. Those of an open device are reachable from its threads.
   */
  private static final Set<LiveStorages> OF_CLOSED_DEVICES = ConcurrentHashMap.newKeySet();

  // All guarded by this.
  private @Nullable Entry first;
  private int size;
  private boolean isClosed; // close() was called

  synchronized void add(Entry storage) {
    Entry next = first;
    storage.next = next;
    if (next != null) {
      next.previous = storage;
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
  synchronized void remove(Entry storage) {
    if (!storage.isLive) {
      return;
    }
    Entry previous = storage.previous;
    Entry next = storage.next;
    if (previous == null) {
      first = next;
    } else {
      previous.next = next;
    }
    if (next != null) {
      next.previous = previous;
    }
    storage.previous = null;
    storage.next = null;
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

  synchronized List<Entry> all() {
    List<Entry> all = new ArrayList<>(size);
    for (Entry storage = first; storage != null; storage = storage.next) {
      all.add(storage);
    }
    return all;
  }
}
