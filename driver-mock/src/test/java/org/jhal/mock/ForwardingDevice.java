// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.AcquiredQueue;
import org.jhal.Allocator;
import org.jhal.Capability;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceFile;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.QueueRequest;
import org.jhal.Setting;
import org.jhal.TimelineSemaphore;
import org.jspecify.annotations.Nullable;

/** A device that forwards every call; a subclass provides its queues and semaphores. */
class ForwardingDevice implements Device {
  final Device right;
  private final Map<Integer, DeviceQueue> queues = new ConcurrentHashMap<>();

  ForwardingDevice(Device right) {
    this.right = right;
  }

  /** Returns the queue that users get instead of {@code queue}. */
  DeviceQueue around(DeviceQueue queue) {
    return new ForwardingQueue(this, queue);
  }

  /** Returns the semaphore that users get instead of {@code semaphore}. */
  TimelineSemaphore around(TimelineSemaphore semaphore) {
    return new ForwardingSemaphore(semaphore);
  }

  @Override
  public DeviceQueue queue(int index) {
    return queues.computeIfAbsent(index, i -> around(right.queue(i)));
  }

  @Override
  public AcquiredQueue acquireQueue(QueueRequest request) {
    return right.acquireQueue(request);
  }

  @Override
  public TimelineSemaphore createSemaphore(long initialValue) {
    return around(right.createSemaphore(initialValue));
  }

  @Override
  public DeviceInfo info() {
    return right.info();
  }

  @Override
  public boolean canAccess(Device other) {
    return right.canAccess(other instanceof ForwardingDevice forwarding ? forwarding.right : other);
  }

  @Override
  public Set<Capability> capabilities() {
    return right.capabilities();
  }

  @Override
  public List<Setting> settings() {
    return right.settings();
  }

  @Override
  public int queueCount() {
    return right.queueCount();
  }

  @Override
  public Allocator allocator() {
    return right.allocator();
  }

  @Override
  public MemoryPool createPool(PoolRequest request) {
    return right.createPool(request);
  }

  @Override
  public CommandBuffer createCommandBuffer(CommandBuffer.Mode mode) {
    return right.createCommandBuffer(mode);
  }

  @Override
  public Set<String> executableFormats() {
    return right.executableFormats();
  }

  @Override
  public Executable loadExecutable(ExecutableSource source) {
    return right.loadExecutable(source);
  }

  @Override
  public CompletableFuture<Executable> loadExecutableAsync(ExecutableSource source) {
    return right.loadExecutableAsync(source);
  }

  @Override
  public DeviceFile openFile(Path path, OpenOption... options) {
    return right.openFile(path, options);
  }

  @Override
  public DeviceFile wrapFile(FileChannel channel) {
    return right.wrapFile(channel);
  }

  @Override
  public DeviceStatistics statistics() {
    return right.statistics();
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return right.unwrap(type);
  }

  @Override
  public @Nullable HalException lostCause() {
    return right.lostCause();
  }

  @Override
  public boolean isClosed() {
    return right.isClosed();
  }

  @Override
  public void setExitPatience(Duration patience) {
    right.setExitPatience(patience);
  }

  @Override
  public void close() {
    right.close();
  }

  @Override
  public String toString() {
    return right.toString();
  }
}
