// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import org.jhal.HalException;
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
 * <p>Used by one thread at a time.
 */
final class CpuGrid {
  /** The size of a {@code hal_grid}, in bytes. */
  static final int BYTES = 32;

  /** The alignment of arguments in bytes, enough for each type of parameter. */
  private static final int ALIGNMENT = 16;

  /** How far outside a buffer an address counts as missing it: a guard of {@code hal_memory.c}. */
  private static final long NEAR = 128 << 10;

  private static final Workgroups NONE = new Workgroups(0, 0, 0);

  private final LoadedKernel kernel;
  private final long function;
  private final String label;
  private final @Nullable Block[] blocks; // of buffers, by parameter; null for other parameters
  private final long[] addresses; // of buffers, by parameter
  private final long[] lengths; // likewise, in bytes
  private final byte[] values; // of all parameters, with the addresses left zero
  private final long counts; // the address of the numbers of workgroups; 0 if they are known
  private Workgroups groups;

  /**
   * A dispatch.
   *
   * @param blocks of buffers, by parameter; null for other parameters
   * @param addresses where the buffers begin, by parameter
   * @param lengths of the buffers in bytes, by parameter
   * @param counts the address of the numbers of workgroups of an indirect dispatch, or 0
   */
  CpuGrid(
      Command command, @Nullable Block[] blocks, long[] addresses, long[] lengths, long counts) {
    this.kernel = command.kernel();
    this.blocks = blocks;
    CpuModule module = (CpuModule) kernel.module();
    this.function = module.function(kernel.index());
    this.label = module.label(kernel.index());
    this.addresses = addresses;
    this.lengths = lengths;
    this.values = command.array();
    this.counts = counts;
    this.groups =
        counts == 0
            ? new Workgroups(command.groupsX(), command.groupsY(), command.groupsZ())
            : NONE;
  }

  /** Whether other work may set the numbers of workgroups until it begins. */
  boolean isIndirect() {
    return counts != 0;
  }

  /**
   * The dispatch begins: those of an indirect one are read.
   *
   * @return whether there are any workgroups
   * @throws HalException OUT_OF_RANGE if there are more than the device takes
   */
  boolean begin() {
    if (isIndirect()) {
      groups = read(kernel, counts);
    }
    return !groups.isEmpty();
  }

  /** The numbers of workgroups at an address. */
  static Workgroups read(LoadedKernel kernel, long counts) {
    Pointer at = new Pointer(counts);
    return kernel.grid(at.getInt(0), at.getInt(4), at.getInt(8));
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
    return groups;
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
    to.putInt(at + 16, groups.x());
    to.putInt(at + 20, groups.y());
    to.putInt(at + 24, groups.z());
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
