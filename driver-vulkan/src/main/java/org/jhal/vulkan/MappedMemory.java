// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.Buffer;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jhal.HostMemory;
import org.jhal.gpu.natives.NativeBlock;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a device that the host sees, by its addresses for the host: what a program uploads
 * from a view of such memory, or reads back into one, the device copies without staging. A view
 * keeps its memory allocated, so memory that is found stays there while an operation borrows it.
 *
 * <p>Thread-safe.
 */
final class MappedMemory {
  /** By the first address. */
  private final ConcurrentSkipListMap<Long, NativeBuffer> buffers = new ConcurrentSkipListMap<>();

  /** A part of a VkBuffer that is not freed by itself. */
  private record Part(NativeBuffer whole, long bufferOffset, long size) implements VulkanMemory {
    @Override
    public long buffer() {
      return whole.handle();
    }

    @Override
    public Object identity() {
      return whole;
    }

    @Override
    public long address() {
      return whole.address() + bufferOffset;
    }

    @Override
    public void free() {}
  }

  /** Adds memory, which is mapped. */
  void add(NativeBuffer buffer) {
    buffers.put(buffer.hostAddress(), buffer);
  }

  /** Removes memory, before it is freed. */
  void remove(NativeBuffer buffer) {
    buffers.remove(buffer.hostAddress());
  }

  /** The memory of the host as memory of the device; null if it is no part of such. */
  @Nullable VulkanMemory find(HostMemory memory) {
    Buffer direct = memory.direct();
    long address = direct == null ? memory.address() : NativeBlock.addressOf(direct);
    Map.@Nullable Entry<Long, NativeBuffer> found = buffers.floorEntry(address);
    if (address == 0 || found == null) {
      return null;
    }
    long offset = address - found.getKey();
    NativeBuffer buffer = found.getValue();
    return offset <= buffer.size() - memory.size() ? new Part(buffer, offset, memory.size()) : null;
  }
}
