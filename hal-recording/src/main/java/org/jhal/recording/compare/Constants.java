// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.compare;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.StructType;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.jhal.kernels.bundle.ArgumentLayout;

/** The values of packed constants. */
public final class Constants {
  private Constants() {}

  /** The value of a parameter that is no buffer, as {@link org.jhal.Args} takes it. */
  public static Object value(List<Parameter> parameters, int index, byte[] packed) {
    int offset = ArgumentLayout.of(parameters).offset(index);
    StructType struct = parameters.get(index).struct();
    return struct == null
        ? number(parameters.get(index).type(), packed, offset)
        : struct.value(numbers(struct, packed, offset).toArray());
  }

  /** The numbers of a constant: of its scalars if it is a struct. */
  public static List<Number> numbers(List<Parameter> parameters, int index, byte[] packed) {
    int offset = ArgumentLayout.of(parameters).offset(index);
    StructType struct = parameters.get(index).struct();
    return struct == null
        ? List.of(number(parameters.get(index).type(), packed, offset))
        : numbers(struct, packed, offset);
  }

  private static List<Number> numbers(StructType struct, byte[] packed, int offset) {
    List<Number> numbers = new ArrayList<>();
    for (int i = 0; i < struct.scalars(); i++) {
      numbers.add(number(struct.field(i).type(), packed, offset + struct.offset(i)));
    }
    return numbers;
  }

  /** The number at a place. */
  public static Number number(ElementType type, byte[] bytes, int at) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return switch (type) {
      case F16 -> Float16.toFloat(from.getShort(at));
      case BF16 -> BFloat16.toFloat(from.getShort(at));
      case F32 -> from.getFloat(at);
      case F64 -> from.getDouble(at);
      case I8 -> from.get(at);
      case U8 -> from.get(at) & 0xFF;
      case I16 -> from.getShort(at);
      case U16 -> from.getShort(at) & 0xFFFF;
      case I32 -> from.getInt(at);
      case U32 -> from.getInt(at) & 0xFFFF_FFFFL;
      case I64, U64 -> from.getLong(at);
    };
  }

  /** A number for people. */
  static String text(ElementType type, Number number) {
    return type == ElementType.U64 ? Long.toUnsignedString(number.longValue()) : number.toString();
  }
}
