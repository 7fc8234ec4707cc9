// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a device has handed out: counted for its statistics, and kept if closing the device has to
 * end it.
 *
 * <p>Thread-safe.
 */
public final class DeviceResources {
  /** Storages that hold memory, will hold memory, or have an owner that was not closed. */
  public final LiveOwned storages = new LiveOwned(true);

  public final LiveOwned executables = new LiveOwned(false); // open or in use
  public final LiveOwned recordings = new LiveOwned(false); // command buffers, open or in use
  public final LiveOwned semaphores = new LiveOwned(false); // not closed
  public final LiveOwned groups = new LiveOwned(false); // not closed, with this as first device
  public final LiveOwned mappings = new LiveOwned(false); // not closed

  // The bytes that were moved from and to the host so far.
  public final AtomicLong uploaded = new AtomicLong();
  public final AtomicLong readBack = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  /** The device has been opened: from now on something may be leaked. */
  public void open() {
    storages.open();
  }

  /** The device starts to close. Until {@link #over}, what is left is still looked after. */
  public void close() {
    Reclaimer.beginUse(); // its thread runs, as the device is open
    // Storages last, so that the Reclaimer does not end before it knows of the others.
    List.of(executables, recordings, semaphores, groups, mappings, storages)
        .forEach(LiveOwned::close);
  }

  /** Everything was given back. */
  public void over() {
    Reclaimer.endUse();
  }

  /** Frees everything native: the device is being closed, and nothing uses it any more. */
  public void endAll(BackendCalls calls) {
    for (LiveOwned all : List.of(recordings, storages, executables)) {
      for (Owned owned : all.all()) {
        calls.quietly("ending " + owned.describe(), owned::endOnce);
        owned.forgetIfOver(); // may call the program, so the device is not bound
      }
    }
  }

  /** Counts memory that a storage has received, or, if negative, has lost. Returns the sum. */
  long addBytes(long size) {
    return bytes.addAndGet(size);
  }

  public long bytes() {
    return bytes.get();
  }
}
