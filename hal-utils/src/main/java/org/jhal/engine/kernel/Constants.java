package org.jhal.engine.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;

/** Checks constant arguments against their parameters, and packs them in native byte order. */
public final class Constants {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private Constants() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  /** Writes the value of argument {@code index} into {@code block} at {@code offset}. */
  public static void pack(
      EngineKernel kernel, int index, Parameter parameter, Object value, byte[] block, int offset) {
    ElementType type = parameter.type();
    switch (type) {
      case F32, F16, BF16 -> {
        if (!(value instanceof Float || value instanceof Double)) {
          throw wrongType(kernel, index, parameter, value, "a Float or a Double");
        }
        double wide = ((Number) value).doubleValue();
        float number = nearest(type, wide);
        if (number != wide && !Double.isNaN(wide)) {
          throw new HalException(
              Status.OUT_OF_RANGE,
              kernel.argument(index)
                  + (value instanceof Float ? ": the float " : ": the double ")
                  + value
                  + (Float.isInfinite(number)
                      ? " is out of the range of "
                          + type.label()
                          + ", which ends at "
                          + (wide < 0 ? -largest(type) : largest(type))
                      : " is no " + type.label() + "; the nearest is the float " + number));
        }
        switch (type) {
          case F16 -> SHORT.set(block, offset, Float16.of(wide));
          case BF16 -> SHORT.set(block, offset, BFloat16.of(wide));
          default -> INT.set(block, offset, Float.floatToRawIntBits(((Number) value).floatValue()));
        }
      }
      case F64 -> {
        if (!(value instanceof Double || value instanceof Float)) {
          throw wrongType(kernel, index, parameter, value, "a Double or a Float");
        }
        LONG.set(block, offset, Double.doubleToRawLongBits(((Number) value).doubleValue()));
      }
      default -> {
        if (!(value instanceof Integer
            || value instanceof Long
            || value instanceof Short
            || value instanceof Byte)) {
          throw wrongType(kernel, index, parameter, value, "an Integer, Long, Short or Byte");
        }
        long number = ((Number) value).longValue();
        long low = min(type);
        long high = max(type);
        if (number < low || number > high) {
          throw new HalException(
              Status.OUT_OF_RANGE,
              kernel.argument(index)
                  + ": "
                  + number
                  + " does not fit "
                  + type.label()
                  + ", which takes "
                  + low
                  + " to "
                  + high);
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

  private static long min(ElementType type) {
    return switch (type) {
      case I8 -> Byte.MIN_VALUE;
      case I16 -> Short.MIN_VALUE;
      case I32 -> Integer.MIN_VALUE;
      case I64, U64 -> Long.MIN_VALUE; // a u64 takes all 64 bits of a Long
      default -> 0;
    };
  }

  private static long max(ElementType type) {
    return switch (type) {
      case I8 -> Byte.MAX_VALUE;
      case U8 -> 0xFF;
      case I16 -> Short.MAX_VALUE;
      case U16 -> 0xFFFF;
      case I32 -> Integer.MAX_VALUE;
      case U32 -> 0xFFFF_FFFFL;
      default -> Long.MAX_VALUE;
    };
  }

  private static HalException wrongType(
      EngineKernel kernel, int index, Parameter parameter, Object value, String wanted) {
    return new HalException(
        Status.INVALID_ARGUMENT,
        kernel.argument(index)
            + ": constant of type "
            + parameter.type().label()
            + " needs "
            + wanted
            + ", got "
            + value.getClass().getSimpleName()
            + " "
            + value);
  }
}
