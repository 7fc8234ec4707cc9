package org.jhal.driver;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.StructType;
import org.jhal.StructValue;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/** Reads structs from the arguments of a dispatch, for kernels that the driver itself runs. */
public final class StructBytes {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private StructBytes() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  /**
   * Reads a struct, in native byte order.
   *
   * @param block the arguments, as {@link Command#array} has them
   * @param offset where the struct starts, as {@link ArgumentLayout#offset} says
   */
  public static StructValue read(StructType type, byte[] block, int offset) {
    Object[] numbers = new Object[type.scalars()];
    int scalar = 0;
    for (StructType.Field field : type.fields()) {
      for (int i = 0; i < field.scalars(); i++) {
        int at = offset + field.offset() + i * field.type().bytes();
        numbers[scalar++] = number(field.type(), block, at);
      }
    }
    return type.value(numbers);
  }

  private static Object number(ElementType type, byte[] block, int at) {
    return switch (type) {
      case I8 -> block[at];
      case U8 -> block[at] & 0xFF;
      case I16 -> (short) SHORT.get(block, at);
      case U16 -> (short) SHORT.get(block, at) & 0xFFFF;
      case I32 -> (int) INT.get(block, at);
      case U32 -> (int) INT.get(block, at) & 0xFFFF_FFFFL;
      case I64, U64 -> (long) LONG.get(block, at);
      case F16 -> Float16.toFloat((short) SHORT.get(block, at));
      case BF16 -> BFloat16.toFloat((short) SHORT.get(block, at));
      case F32 -> Float.intBitsToFloat((int) INT.get(block, at));
      case F64 -> Double.longBitsToDouble((long) LONG.get(block, at));
    };
  }
}
