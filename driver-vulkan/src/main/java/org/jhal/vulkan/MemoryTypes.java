// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanApi;
import org.jhal.vulkan.jna.VulkanConstants;

/** The types of memory of a device, by what they are for. */
final class MemoryTypes {
  /** No such type. */
  static final int NONE = -1;

  private static final int LOCAL = VulkanConstants.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  private static final int COHERENT =
      VulkanConstants.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
          | VulkanConstants.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  private static final int CACHED = VulkanConstants.VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

  private static final int TYPES_OFFSET = 4;
  private static final int TYPE_BYTES = 8;
  private static final int HEAPS_OFFSET = 264;
  private static final int HEAP_BYTES = 16;

  /** Types with any other property, such as protected memory, must be asked for otherwise. */
  private static final int KNOWN = LOCAL | COHERENT | CACHED;

  private record Type(int index, int flags, long heapBytes, boolean isLocalHeap) {}

  private final List<Type> types = new ArrayList<>();

  private MemoryTypes() {}

  /** Reads the types of a physical device. */
  static MemoryTypes of(long physical) {
    MemoryTypes result = new MemoryTypes();
    try (Structs structs = new Structs()) {
      Structs.Struct all = structs.zeros(520);
      VulkanApi.API.setup().getPhysicalDeviceMemoryProperties(physical, all.address());
      for (int i = 0; i < all.int32At(0); i++) {
        int at = TYPES_OFFSET + i * TYPE_BYTES;
        int heap = HEAPS_OFFSET + all.int32At(at + 4) * HEAP_BYTES;
        result.types.add(
            new Type(
                i,
                all.int32At(at),
                all.int64At(heap),
                (all.int32At(heap + 8) & VulkanConstants.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0));
      }
    }
    return result;
  }

  /**
   * The index of the type for buffers of {@code use}; {@link #NONE} for SHARED if the host sees but
   * a part of the device's memory.
   *
   * @throws HalException UNAVAILABLE if there is none for another use
   */
  int index(MemoryType use) {
    int index =
        switch (use) {
          case DEVICE -> find(LOCAL, 0);
          case SHARED -> findShared();
          case HOST -> find(COHERENT | CACHED, LOCAL);
          case HOST_UPLOAD -> find(COHERENT, LOCAL);
        };
    if (index == NONE && use == MemoryType.HOST) {
      index = find(COHERENT, 0);
    }
    if (index == NONE && use != MemoryType.SHARED) {
      throw new HalException(Status.UNAVAILABLE, "it has no memory for buffers of type " + use);
    }
    return index;
  }

  /** The first type with all the wanted flags; one without the unwanted ones if there is any. */
  private int find(int wanted, int unwanted) {
    int second = NONE;
    for (Type type : types) {
      if ((type.flags & wanted) == wanted && (type.flags & ~KNOWN) == 0) {
        if ((type.flags & unwanted) == 0) {
          return type.index;
        }
        second = second == NONE ? type.index : second;
      }
    }
    return second;
  }

  /** The index of a type of the device's memory that the host sees; {@link #NONE} if none. */
  int visible() {
    for (Type type : types) {
      if ((type.flags & (LOCAL | COHERENT)) == (LOCAL | COHERENT) && (type.flags & ~KNOWN) == 0) {
        return type.index;
      }
    }
    return NONE;
  }

  private int findShared() {
    int index = find(LOCAL | COHERENT, 0);
    return index != NONE && types.get(index).heapBytes >= deviceBytes() ? index : NONE;
  }

  /** The size of the memory of the device, in bytes. */
  long deviceBytes() {
    return types.stream().filter(Type::isLocalHeap).mapToLong(Type::heapBytes).max().orElse(0);
  }

  /** The first of the types in a set of bits that the host sees coherently, or {@link #NONE}. */
  int firstCoherent(int bits) {
    for (Type type : types) {
      if ((bits & 1 << type.index) != 0 && (type.flags & COHERENT) == COHERENT) {
        return type.index;
      }
    }
    return NONE;
  }
}
