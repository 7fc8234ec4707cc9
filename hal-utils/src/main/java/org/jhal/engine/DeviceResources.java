package org.jhal.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The resources that a device has handed out: counted for its statistics, and kept if closing the
 * device has to free them.
 *
 * <p>Thread-safe.
 */
final class DeviceResources {
  private final LiveStorages storages = new LiveStorages();
  private final Set<EngineExecutable> executables = ConcurrentHashMap.newKeySet();
  private final CopyBuffers copyBuffers = new CopyBuffers();
  private final List<FileStaging> fileStaging = new CopyOnWriteArrayList<>(); // by queue
  private final AtomicLong bytes = new AtomicLong();

  /**
   * The owners of command buffers that are open or in use. They must stay reachable, see {@link
   * Owner}.
   */
  private final Set<RecordingOwner> recordings = ConcurrentHashMap.newKeySet();

  private final AtomicLong semaphores = new AtomicLong();

  /** Counts memory that a storage has received, or, if negative, has lost. */
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

  Set<RecordingOwner> recordings() {
    return recordings;
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

  List<FileStaging> fileStaging() {
    return fileStaging;
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
