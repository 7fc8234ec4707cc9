// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.ByteBuffer;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jspecify.annotations.Nullable;

/**
 * A dispatch of a kernel in C++, as the native runtime takes it: a {@code hal_grid}, and the
 * arguments that it refers to.
 *
 * <p>Immutable; any thread may use it.
 */
final class CpuGrid {
  /** The size of a {@code hal_grid}, in bytes. */
  static final int BYTES = 32;

  /** The alignment of arguments in bytes, enough for each type of parameter. */
  private static final int ALIGNMENT = 16;

  /** How far outside a buffer an address counts as missing it: a guard of {@code hal_memory.c}. */
  private static final long NEAR = 128 << 10;

  private final LoadedKernel kernel;
  private final long function;
  private final String label;
  private final @Nullable Block[] blocks; // of buffers, by parameter; null for other parameters
  private final long[] addresses; // of buffers, by parameter
  private final long[] lengths; // likewise, in bytes
  private final byte[] values; // of all parameters, with the addresses left zero
  private final int x;
  private final int y;
  private final int z;

  /**
   * A dispatch.
   *
   * @param blocks of buffers, by parameter; null for other parameters
   * @param addresses where the buffers begin, by parameter
   * @param lengths of the buffers in bytes, by parameter
   */
  CpuGrid(Command command, @Nullable Block[] blocks, long[] addresses, long[] lengths) {
    this.kernel = command.kernel();
    this.blocks = blocks;
    CpuModule module = (CpuModule) kernel.module();
    this.function = module.function(kernel.index());
    this.label = module.label(kernel.index());
    this.addresses = addresses;
    this.lengths = lengths;
    this.values = command.array();
    this.x = command.groupsX();
    this.y = command.groupsY();
    this.z = command.groupsZ();
  }

  String kernel() {
    return kernel.name();
  }

  LoadedKernel loaded() {
    return kernel;
  }

  /** The code of a kernel that is checked; null for any other. */
  @Nullable CheckedCode code() {
    return ((CpuModule) kernel.module()).code();
  }

  Workgroups groups() {
    return new Workgroups(x, y, z);
  }

  /** Where a buffer begins in its block, by parameter. */
  long offset(int index) {
    Block block = blocks[index];
    return block == null ? 0 : addresses[index] - block.address();
  }

  /** Which buffer begins where one ends, as the end of a message; or empty. */
  String behind(int index) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i] != null && i != index && addresses[i] == addresses[index] + lengths[index]) {
        return ", where " + parameter(i) + " begins";
      }
    }
    return "";
  }

  /** The length of a buffer in bytes, by parameter. */
  long length(int index) {
    return lengths[index];
  }

  /** Lets the dispatch use its buffers, see {@link HalRuntime#hal_check_range}. */
  void writeRanges(long check) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i] != null) {
        int flags = kernel.parameter(i).isWritten() ? 0 : 1; // HAL_IS_READ_ONLY
        blocks[i].calledBy(kernel.parameter(i).name());
        HalRuntime.hal_check_range(check, addresses[i], lengths[i], i, flags, blocks[i].shadow());
      }
    }
  }

  /** What a message calls this dispatch. */
  String label() {
    return label;
  }

  /** The block of each parameter; null if it is no buffer. */
  @Nullable Block[] blocks() {
    return blocks;
  }

  /** The last parameter whose block has a {@linkplain Block#handle handle}; -1 if there is none. */
  int indexOf(long handle) {
    int index = blocks.length - 1;
    while (index >= 0 && (blocks[index] == null || blocks[index].handle() != handle)) {
      index--;
    }
    return index;
  }

  /** What a message calls a parameter. */
  String parameter(int index) {
    return "'" + kernel.parameter(index).name() + "'";
  }

  /** Which buffer an address just misses, as the end of a message; empty if none. */
  String nearest(long address) {
    String nearest = "";
    long least = NEAR;
    for (int i = 0; i < blocks.length; i++) {
      Block one = blocks[i];
      if (one != null) {
        long end = one.address() + one.size();
        boolean isBehind = address >= end;
        long distance = isBehind ? address - end : one.address() - address;
        if (distance >= 0 && distance < least) {
          least = distance;
          nearest =
              ", %s bytes %s %s, which has %s bytes"
                  .formatted(
                      distance,
                      isBehind ? "past the end of" : "before the start of",
                      parameter(i),
                      one.size());
        }
      }
    }
    return nearest;
  }

  /** How much the arguments take, in bytes. */
  int argumentBytes() {
    return valuesAt() + aligned(values.length);
  }

  private int valuesAt() {
    return aligned(Long.BYTES * addresses.length);
  }

  private static int aligned(int bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /**
   * Writes the dispatch.
   *
   * @param to in native byte order
   * @param base the address of {@code to}, a multiple of 16
   * @param at where the {@code hal_grid} goes
   * @param arguments where the arguments go, a multiple of 16
   */
  void write(ByteBuffer to, long base, int at, int arguments) {
    to.putLong(at, function);
    to.putLong(at + 8, base + arguments);
    to.putInt(at + 16, x);
    to.putInt(at + 20, y);
    to.putInt(at + 24, z);
    to.putInt(at + 28, kernel.dynamicSharedMemory());
    int first = arguments + valuesAt();
    to.put(first, values);
    for (int i = 0; i < addresses.length; i++) {
      int value = first + kernel.layout().offset(i);
      to.putLong(arguments + Long.BYTES * i, base + value);
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        to.putLong(value, addresses[i]);
      }
    }
  }
}
