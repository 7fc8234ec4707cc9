package org.jhal.engine;

import java.util.List;
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
  private final LiveOwners<ExecutableOwner> executables = new LiveOwners<>();
  private final LiveOwners<RecordingOwner> recordings = new LiveOwners<>();
  private final LiveOwners<SemaphoreOwner> semaphores = new LiveOwners<>();
  private final LiveOwners<GroupOwner> groups = new LiveOwners<>();
  private final LiveOwners<MappingOwner> mappings = new LiveOwners<>();
  private final CopyBuffers copyBuffers = new CopyBuffers();
  private final List<FileStaging> fileStaging = new CopyOnWriteArrayList<>(); // by queue
  private final AtomicLong bytes = new AtomicLong();

  /** The device has been opened: from now on something may be leaked. */
  void open() {
    storages.open();
  }

  /** The device starts to close. */
  void close() {
    executables.close();
    recordings.close();
    semaphores.close();
    groups.close();
    mappings.close();
    storages.close(); // last, so that the Reclaimer does not end before it knows of the others
  }

  /** Counts memory that a storage has received, or, if negative, has lost. Returns the sum. */
  long addBytes(long size) {
    return bytes.addAndGet(size);
  }

  /** Command buffers that are open or in use. */
  LiveOwners<RecordingOwner> recordings() {
    return recordings;
  }

  /** Semaphores that are not closed. */
  LiveOwners<SemaphoreOwner> semaphores() {
    return semaphores;
  }

  /** Groups that are not closed, and whose first device this is. */
  LiveOwners<GroupOwner> groups() {
    return groups;
  }

  /** Mappings that are not closed. */
  LiveOwners<MappingOwner> mappings() {
    return mappings;
  }

  LiveStorages storages() {
    return storages;
  }

  /** Executables that are open or in use. */
  LiveOwners<ExecutableOwner> executables() {
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
}
