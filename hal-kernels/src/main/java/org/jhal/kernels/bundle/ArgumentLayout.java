// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.List;
import org.jhal.Parameter;
import org.jhal.StructType;

/**
 * The layout of a kernel's arguments in one block of memory: in the order of its parameters,
 * naturally aligned, buffers as 64-bit addresses, structs with their own alignment (rule M8). This
 * is the layout that C compilers give a struct of the same members.
 *
 * <p>Immutable; any thread may use it.
 */
public final class ArgumentLayout {
  private static final int ADDRESS_BYTES = 8;

  private final int[] offsets;
  private final int size;

  private ArgumentLayout(List<Parameter> parameters) {
    offsets = new int[parameters.size()];
    int end = 0;
    for (int i = 0; i < offsets.length; i++) {
      Parameter parameter = parameters.get(i);
      int alignment = alignment(parameter);
      end = (end + alignment - 1) / alignment * alignment;
      offsets[i] = end;
      end += bytes(parameter);
    }
    size = end;
  }

  /** The layout of kernels with these parameters. */
  public static ArgumentLayout of(List<Parameter> parameters) {
    return new ArgumentLayout(parameters);
  }

  /** The size in bytes of the argument for {@code parameter}. */
  public static int bytes(Parameter parameter) {
    StructType struct = parameter.struct();
    return struct == null ? scalarBytes(parameter) : struct.bytes();
  }

  /** The alignment in bytes of the argument for {@code parameter}: a power of two, at most 16. */
  public static int alignment(Parameter parameter) {
    StructType struct = parameter.struct();
    return struct == null ? scalarBytes(parameter) : struct.alignment();
  }

  private static int scalarBytes(Parameter parameter) {
    return parameter.kind() == Parameter.Kind.BUFFER ? ADDRESS_BYTES : parameter.type().bytes();
  }

  /** The offset in bytes at which argument {@code index} starts. */
  public int offset(int index) {
    return offsets[index];
  }

  /** The size in bytes of all arguments, without padding behind the last one. */
  public int size() {
    return size;
  }
}
