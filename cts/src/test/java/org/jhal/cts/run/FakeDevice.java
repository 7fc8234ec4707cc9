// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
import org.jhal.GraphStatistics;
import org.jhal.HalException;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.QueueRequest;
import org.jhal.Setting;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/** A device that only reports the live resources that a test sets. */
final class FakeDevice implements Device {
  volatile long live;
  volatile long bytes;
  volatile long open;
  volatile boolean isClosed;
  private final String uri;

  FakeDevice(String uri) {
    this.uri = uri;
  }

  @Override
  public DeviceInfo info() {
    return DeviceInfo.builder("fake", 0)
        .name("Fake " + uri)
        .uuid("0")
        .memoryBytes(0)
        .maxWorkgroupCount(Workgroups.of(1))
        .maxWorkgroupItems(1)
        .build();
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.SHARED_MEMORY);
  }

  @Override
  public List<Setting> settings() {
    return List.of();
  }

  @Override
  public int queueCount() {
    return 1;
  }

  @Override
  public DeviceStatistics statistics() {
    return new DeviceStatistics(
        live, bytes, 0, 0, 0, open, 0, 0, 0, open, 0, 0, 0, 0, GraphStatistics.NONE);
  }

  @Override
  public boolean canAccess(Device other) {
    return other == this;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable HalException lostCause() {
    return null;
  }

  @Override
  public boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
  }

  @Override
  public void setExitPatience(Duration patience) {}

  @Override
  public DeviceQueue queue(int index) {
    throw new UnsupportedOperationException("a queue of a fake device");
  }

  @Override
  public AcquiredQueue acquireQueue(QueueRequest request) {
    throw new UnsupportedOperationException("a queue of a fake device");
  }

  @Override
  public TimelineSemaphore createSemaphore(long initialValue) {
    throw new UnsupportedOperationException("a semaphore of a fake device");
  }

  @Override
  public DeviceFile openFile(Path path, OpenOption... options) {
    throw new UnsupportedOperationException("a file of a fake device");
  }

  @Override
  public DeviceFile wrapFile(FileChannel channel) {
    throw new UnsupportedOperationException("a file of a fake device");
  }

  @Override
  public Allocator allocator() {
    throw new UnsupportedOperationException("memory of a fake device");
  }

  @Override
  public MemoryPool createPool(PoolRequest request) {
    throw new UnsupportedOperationException("pools of a fake device");
  }

  @Override
  public CommandBuffer createCommandBuffer(CommandBuffer.Mode mode) {
    throw new UnsupportedOperationException("commands of a fake device");
  }

  @Override
  public Set<String> executableFormats() {
    return Set.of();
  }

  @Override
  public Executable loadExecutable(ExecutableSource source) {
    throw new UnsupportedOperationException("kernels of a fake device");
  }

  @Override
  public CompletableFuture<Executable> loadExecutableAsync(ExecutableSource source) {
    throw new UnsupportedOperationException("kernels of a fake device");
  }
}
