// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.driver.MappedRange;
import org.jhal.gpu.natives.NativeBlock;
import org.jspecify.annotations.Nullable;

/** The program's host memory as a buffer: the pages in which it lies are imported. */
final class ImportedRange implements VulkanMemory {
  private final ByteBuffer memory; // keeps it alive
  private final @Nullable NativeBuffer pages; // null for no bytes
  private final long offset; // in the pages

  /**
   * Imports memory.
   *
   * @throws org.jhal.HalException INVALID_ARGUMENT if the runtime cannot take it
   */
  ImportedRange(LogicalDevice device, ByteBuffer memory) {
    this.memory = memory;
    if (memory.capacity() == 0) {
      pages = null;
      offset = 0;
      return;
    }
    long alignment = device.physical().limits().importAlignment();
    long address = NativeBlock.addressOf(memory);
    offset = address % alignment;
    long bytes = (offset + memory.capacity() + alignment - 1) / alignment * alignment;
    pages = NativeBuffer.importHost(device, address - offset, bytes);
  }

  @Override
  public long size() {
    return memory.capacity();
  }

  @Override
  public long buffer() {
    return pages == null ? 0 : pages.handle();
  }

  @Override
  public Object identity() {
    return pages == null ? this : pages;
  }

  @Override
  public long bufferOffset() {
    return offset;
  }

  @Override
  public long address() {
    return pages == null ? 0 : pages.address() + offset;
  }

  @Override
  public MappedRange map(long from, int length) {
    ByteBuffer view = memory.slice((int) from, length).order(ByteOrder.nativeOrder());
    return () -> view;
  }

  @Override
  public void free() {
    if (pages != null) {
      pages.free(memory);
    }
  }
}
