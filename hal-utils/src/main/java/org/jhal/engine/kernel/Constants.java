// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.StructType;
import org.jhal.StructValue;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/**
 * Checks constant and struct arguments against their parameters, and packs them in native byte
 * order.
 */
public final class Constants {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private Constants() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  /** Writes the value of argument {@code index} to its place in {@code block}. */
  public static void pack(EngineKernel kernel, int index, Object value, byte[] block) {
    int offset = kernel.layout().offset(index);
    StructType struct = kernel.parameter(index).struct();
    if (struct == null) {
      pack(kernel, index, 0, kernel.parameter(index).type(), value, block, offset);
      return;
    }
    if (!(value instanceof StructValue given)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s: a struct of type %s needs a StructValue, got %s"
              .formatted(kernel.argument(index), struct, value.getClass().getSimpleName()));
    }
    if (given.type() != struct && !given.type().hasLayoutOf(struct)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s: a %s has another layout than the %s"
              .formatted(kernel.argument(index), layout(given.type()), layout(struct)));
    }
    for (int i = 0; i < struct.scalars(); i++) {
      int at = offset + struct.offset(i);
      pack(kernel, index, i, struct.field(i).type(), given.get(i), block, at);
    }
  }

  private static void pack(
      EngineKernel kernel,
      int index,
      int scalar,
      ElementType type,
      Object value,
      byte[] block,
      int offset) {
    switch (type) {
      case F32, F16, BF16 -> {
        if (!(value instanceof Float || value instanceof Double)) {
          throw wrongType(kernel, index, scalar, type, value, "a Float or a Double");
        }
        double wide = ((Number) value).doubleValue();
        float number = nearest(type, wide);
        if (number != wide && !Double.isNaN(wide)) {
          throw new HalException(
              Status.OUT_OF_RANGE,
              place(kernel, index, scalar)
                  + (value instanceof Float ? ": the float " : ": the double ")
                  + value
                  + (Float.isInfinite(number)
                      ? " is out of the range of "
                          + type.label()
                          + ", which ends at "
                          + (wide < 0 ? -largest(type) : largest(type))
                      : " is no " + type.label() + "; the nearest is the float " + number + "f"));
        }
        switch (type) {
          case F16 -> SHORT.set(block, offset, Float16.of(wide));
          case BF16 -> SHORT.set(block, offset, BFloat16.of(wide));
          default -> INT.set(block, offset, Float.floatToRawIntBits(((Number) value).floatValue()));
        }
      }
      case F64 -> {
        if (!(value instanceof Double || value instanceof Float)) {
          throw wrongType(kernel, index, scalar, type, value, "a Double or a Float");
        }
        LONG.set(block, offset, Double.doubleToRawLongBits(((Number) value).doubleValue()));
      }
      default -> {
        if (!(value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte)) {
          throw wrongType(kernel, index, scalar, type, value, "an Integer, Long, Short or Byte");
        }
        long number = ((Number) value).longValue();
        long high = max(type);
        long low = high == Long.MAX_VALUE || isSigned(type) ? -high - 1 : 0;
        if (number < low || number > high) {
          throw new HalException(
              Status.OUT_OF_RANGE,
              "%s: %s does not fit %s, which takes %s to %s"
                  .formatted(place(kernel, index, scalar), number, type.label(), low, high));
        }
        switch (type.bytes()) {
          case 1 -> block[offset] = (byte) number;
          case 2 -> SHORT.set(block, offset, (short) number);
          case 4 -> INT.set(block, offset, (int) number);
          default -> LONG.set(block, offset, number);
        }
      }
    }
  }

  private static float nearest(ElementType type, double value) {
    return switch (type) {
      case F16 -> Float16.toFloat(Float16.of(value));
      case BF16 -> BFloat16.toFloat(BFloat16.of(value));
      default -> (float) value;
    };
  }

  private static float largest(ElementType type) {
    return switch (type) {
      case F16 -> Float16.toFloat((short) 0x7BFF);
      case BF16 -> BFloat16.toFloat((short) 0x7F7F);
      default -> Float.MAX_VALUE;
    };
  }

  /** The largest value; that of all 64 bits is the largest Long, whose sign bit is one of them. */
  private static long max(ElementType type) {
    int bits = 8 * type.bytes();
    return isSigned(type) || bits == 64 ? Long.MAX_VALUE >> (64 - bits) : (1L << bits) - 1;
  }

  private static boolean isSigned(ElementType type) {
    return switch (type) {
      case I8, I16, I32, I64 -> true;
      default -> false;
    };
  }

  private static HalException wrongType(
      EngineKernel kernel, int index, int scalar, ElementType type, Object value, String wanted) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        "%s: constant of type %s needs %s, got %s %s"
            .formatted(
                place(kernel, index, scalar),
                type.label(),
                wanted,
                value.getClass().getSimpleName(),
                value));
  }

  private static String layout(StructType type) {
    return type + " of " + type.bytes() + " bytes, aligned to " + type.alignment();
  }

  /** Names an argument, or a scalar of it. */
  private static String place(EngineKernel kernel, int index, int scalar) {
    StructType struct = kernel.parameter(index).struct();
    return kernel.argument(index) + (struct == null ? "" : "." + struct.scalarName(scalar));
  }
}
