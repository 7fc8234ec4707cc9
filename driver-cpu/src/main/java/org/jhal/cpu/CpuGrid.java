// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.ByteBuffer;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;

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

  private final LoadedKernel kernel;
  private final long function;
  private final long[] addresses; // of buffers, by parameter
  private final byte[] values; // of all parameters, with the addresses left zero
  private final int x;
  private final int y;
  private final int z;

  /**
   * A dispatch.
   *
   * @param addresses of the memory of buffers, by parameter
   */
  CpuGrid(Command command, long[] addresses) {
    this.kernel = command.kernel();
    this.function = ((CpuModule) kernel.module()).function(kernel.index());
    this.addresses = addresses;
    this.values = command.array();
    this.x = command.groupsX();
    this.y = command.groupsY();
    this.z = command.groupsZ();
  }

  String kernel() {
    return kernel.name();
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
