package org.jhal.engine.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The resources that a device has handed out: counted for its statistics, and kept if closing the
 * device has to free them.
 *
 * <p>Thread-safe.
 */
public final class DeviceResources {
  private final LiveOwned storages = new LiveOwned(true);
  private final LiveOwned executables = new LiveOwned(false);
  private final LiveOwned recordings = new LiveOwned(false);
  private final LiveOwned semaphores = new LiveOwned(false);
  private final LiveOwned groups = new LiveOwned(false);
  private final LiveOwned mappings = new LiveOwned(false);
  private final CopyBuffers copyBuffers = new CopyBuffers();
  private final AtomicLong bytes = new AtomicLong();

  /** The device has been opened: from now on something may be leaked. */
  public void open() {
    storages.open();
  }

  /** The device starts to close. */
  public void close() {
    executables.close();
    recordings.close();
    semaphores.close();
    groups.close();
    mappings.close();
    storages.close(); // last, so that the Reclaimer does not end before it knows of the others
  }

  /** Frees everything native: the device is being closed, and nothing uses it any more. */
  public void endAll(BackendCalls calls) {
    for (Owned recording : recordings.all()) {
      calls.quietly("ending what was prepared for a command buffer", recording::endWithDevice);
    }
    for (Owned storage : storages.all()) {
      calls.quietly("freeing the memory of a buffer", storage::endWithDevice);
    }
    for (Owned executable : executables.all()) {
      calls.quietly("unloading an executable", executable::endWithDevice);
    }
  }

  /** Counts memory that a storage has received, or, if negative, has lost. Returns the sum. */
  long addBytes(long size) {
    return bytes.addAndGet(size);
  }

  /** Command buffers that are open or in use. */
  public LiveOwned recordings() {
    return recordings;
  }

  /** Semaphores that are not closed. */
  public LiveOwned semaphores() {
    return semaphores;
  }

  /** Groups that are not closed, and whose first device this is. */
  public LiveOwned groups() {
    return groups;
  }

  /** Mappings that are not closed. */
  public LiveOwned mappings() {
    return mappings;
  }

  /** Storages that hold memory, will hold memory, or have an owner that was not closed. */
  public LiveOwned storages() {
    return storages;
  }

  /** Executables that are open or in use. */
  public LiveOwned executables() {
    return executables;
  }

  public CopyBuffers copyBuffers() {
    return copyBuffers;
  }

  public long bytes() {
    return bytes.get();
  }
}
