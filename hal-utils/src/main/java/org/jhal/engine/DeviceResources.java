package org.jhal.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a device has handed out: counted for its statistics, and kept where closing the device must
 * free it.
 *
 * <p>Thread-safe.
 */
final class DeviceResources {
  private final LiveStorages storages = new LiveStorages();
  private final Set<EngineExecutable> executables = ConcurrentHashMap.newKeySet();
  private final CopyBuffers copyBuffers = new CopyBuffers();
  private final AtomicLong bytes = new AtomicLong();

  /** Of the command buffers that are open or in use; reachable from here, as they have to be. */
  private final Set<RecordingOwner> recordings = ConcurrentHashMap.newKeySet();

  private final AtomicLong semaphores = new AtomicLong();

  /** Counts memory that a storage got, or, negative, has no more. */
  void addBytes(long size) {
    bytes.addAndGet(size);
  }

  void add(EngineExecutable executable) {
    executables.add(executable);
  }

  void remove(EngineExecutable executable) {
    executables.remove(executable);
  }

  void add(RecordingOwner recording) {
    recordings.add(recording);
  }

  void remove(RecordingOwner recording) {
    recordings.remove(recording);
  }

  void addSemaphore() {
    semaphores.incrementAndGet();
  }

  void removeSemaphore() {
    semaphores.decrementAndGet();
  }

  LiveStorages storages() {
    return storages;
  }

  Set<EngineExecutable> executables() {
    return executables;
  }

  CopyBuffers copyBuffers() {
    return copyBuffers;
  }

  long bytes() {
    return bytes.get();
  }

  long commandBuffers() {
    return recordings.size();
  }

  long semaphores() {
    return semaphores.get();
  }
}
