// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/** Numbers in the packed arguments of a dispatch, in native byte order; indices count them. */
abstract class PackedNumbers {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  /** The arguments. */
  abstract byte[] block();

  /** The type of a number; throws IndexOutOfBoundsException if there is none. */
  abstract ElementType type(int index);

  /** Where a number starts in the block. */
  abstract int offset(int index);

  /** What a number is, for messages. */
  abstract String describe(int index);

  private IllegalArgumentException isNot(int index, String wanted) {
    return new IllegalArgumentException(describe(index) + ", not " + wanted);
  }

  public final int i32(int index) {
    if (type(index).bytes() > 4) {
      throw isNot(index, "an integer of at most 32 bits");
    }
    return (int) i64(index);
  }

  public final long i64(int index) {
    ElementType type = type(index);
    byte[] block = block();
    int offset = offset(index);
    return switch (type) {
      case I8 -> block[offset];
      case U8 -> block[offset] & 0xFF;
      case I16 -> (short) SHORT.get(block, offset);
      case U16 -> (short) SHORT.get(block, offset) & 0xFFFF;
      case I32 -> (int) INT.get(block, offset);
      case U32 -> (int) INT.get(block, offset) & 0xFFFF_FFFFL;
      case I64, U64 -> (long) LONG.get(block, offset);
      default -> throw isNot(index, "an integer");
    };
  }

  public final float f32(int index) {
    ElementType type = type(index);
    byte[] block = block();
    int offset = offset(index);
    return switch (type) {
      case F32 -> Float.intBitsToFloat((int) INT.get(block, offset));
      case F16 -> Float16.toFloat((short) SHORT.get(block, offset));
      case BF16 -> BFloat16.toFloat((short) SHORT.get(block, offset));
      default -> throw isNot(index, "an f32, f16 or bf16");
    };
  }

  public final double f64(int index) {
    return switch (type(index)) {
      case F64 -> Double.longBitsToDouble((long) LONG.get(block(), offset(index)));
      case F32, F16, BF16 -> f32(index);
      default -> throw isNot(index, "a floating-point number");
    };
  }
}
