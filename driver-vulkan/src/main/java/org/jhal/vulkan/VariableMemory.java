// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the variables outside functions of one loaded module. Kernels know its address from
 * a specialization constant. It is memory of the device that the host sees, or of the host where
 * there is none, so that the host writes what is in it first without a submission, which would wait
 * for other work. It counts against no budget.
 *
 * <p>Thread-safe.
 */
final class VariableMemory {
  private final StagingRange memory;
  private final ModuleVariables variables;

  private VariableMemory(StagingRange memory, ModuleVariables variables) {
    this.memory = memory;
    this.variables = variables;
  }

  /**
   * The memory of one variable, which lives as long as that of all; freeing it frees nothing.
   *
   * @param all the memory in which it is
   * @param offset where it begins there, in bytes
   * @param size in bytes
   */
  private record Variable(VulkanMemory all, long offset, long size) implements VulkanMemory {
    @Override
    public long buffer() {
      return all.buffer();
    }

    @Override
    public Object identity() {
      return all.identity();
    }

    @Override
    public long bufferOffset() {
      return all.bufferOffset() + offset;
    }

    @Override
    public long address() {
      return all.address() + offset;
    }

    @Override
    public void free() {}
  }

  /**
   * Makes the memory of a module's variables; null if it has none.
   *
   * @param what the module, for messages
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough memory
   */
  static @Nullable VariableMemory make(
      LogicalDevice device, ModuleVariables variables, String what) {
    if (variables.size() == 0) {
      return null;
    }
    StagingRange memory = allocate(device, variables.size(), what);
    variables.write(memory.map(0, variables.size()).bytes(), memory.address());
    return new VariableMemory(memory, variables);
  }

  private static StagingRange allocate(LogicalDevice device, int size, String what) {
    MemoryBlocks near = device.visibleMemory();
    try {
      return new StagingRange(near, size);
    } catch (HalException e) {
      MemoryBlocks host = device.memory(MemoryType.HOST);
      if (e.status() != Status.RESOURCE_EXHAUSTED) {
        throw e;
      }
      if (near == host) {
        throw noMemory(size, what, e);
      }
      try {
        return new StagingRange(host, size);
      } catch (HalException second) {
        throw second.status() == Status.RESOURCE_EXHAUSTED ? noMemory(size, what, second) : second;
      }
    }
  }

  private static HalException noMemory(int size, String what, HalException cause) {
    return new HalException(
        Status.RESOURCE_EXHAUSTED,
        "the variables outside functions of "
            + what
            + " need "
            + size
            + " bytes: "
            + cause.getMessage(),
        cause);
  }

  /** The device's address of its first byte. */
  long address() {
    return memory.address();
  }

  /** The memory of the variable that the module exports under a name; null if there is none. */
  @Nullable VulkanMemory variable(String name) {
    ModuleVariables.Place place = variables.named().get(name);
    return place == null ? null : new Variable(memory, place.offset(), place.size());
  }

  void free() {
    memory.free();
  }
}
