// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.MemoryType;
import org.jhal.driver.DeviceMemory;
import org.jhal.gpu.transfer.CopyStream;

/**
 * The copies of a stream between staging memory and the device. What was put into it goes to the
 * device with the stream's next submission.
 */
class StreamCopies implements CopyStream {
  private final LogicalDevice device;
  private final CommandStream stream;

  StreamCopies(LogicalDevice device, CommandStream stream) {
    this.device = device;
    this.stream = stream;
  }

  final CommandStream stream() {
    return stream;
  }

  @Override
  public final DeviceMemory allocate(int bytes, boolean isPinned) {
    return new StagingRange(device.memory(MemoryType.HOST), bytes);
  }

  @Override
  public final void upload(
      DeviceMemory staging, long from, DeviceMemory target, long to, long bytes) {
    stream.recording().copy((VulkanMemory) staging, from, (VulkanMemory) target, to, bytes);
  }

  @Override
  public final void readback(
      DeviceMemory source, long from, DeviceMemory staging, long to, long bytes) {
    stream.recording().copy((VulkanMemory) source, from, (VulkanMemory) staging, to, bytes);
  }

  @Override
  public long mark() {
    return stream.nextValue();
  }

  @Override
  public final boolean isPast(long mark) {
    return stream.timeline().isPast(mark);
  }

  @Override
  public final void synchronize() {
    stream.finish();
  }

  @Override
  public void close() {} // the stream closes itself
}
