// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.ElementType;
import org.jhal.kernel.Float16;

/**
 * The content of buffers by a short text, the same everywhere. {@code h(i)} is {@code (i *
 * 2654435761 mod 2^32) / 2^8}, which looks random.
 *
 * <table>
 * <caption>texts</caption>
 * <tr><td>{@code index}</td><td>i</td></tr>
 * <tr><td>{@code value V}</td><td>V</td></tr>
 * <tr><td>{@code noise}</td><td>of floating-point numbers: {@code (h(i) / 2^13) / 2048}, in [0, 1), exact
 * in all types</td></tr>
 * <tr><td>{@code noise N}</td><td>of integers: {@code h(i) mod N}</td></tr>
 * <tr><td>{@code bits}</td><td>of integers: {@code i * 2654435761 mod 2^32}</td></tr>
 * <tr><td>{@code holes N}</td><td>{@code h(i) mod 2N}, or -1 if that is N or more</td></tr>
 * </table>
 */
public final class Values {
  private Values() {}

  /** Element {@code i} as a number. */
  public static double at(String text, int i) {
    String[] words = text.split(" ");
    long bits = i * 2654435761L & 0xffffffffL;
    long h = bits >> 8;
    switch (words[0]) {
      case "index":
        return i;
      case "value":
        return Double.parseDouble(words[1]);
      case "noise":
        return words.length == 1 ? (h >> 13) / 2048.0 : h % Long.parseLong(words[1]);
      case "bits":
        return bits;
      case "holes":
        long below = Long.parseLong(words[1]);
        return h % (2 * below) < below ? h % (2 * below) : -1;
      default:
        throw new IllegalArgumentException(text);
    }
  }

  /** All elements as numbers. */
  public static double[] numbers(String text, int count) {
    double[] numbers = new double[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = at(text, i);
    }
    return numbers;
  }

  /** All elements as the bytes of a buffer. */
  static byte[] bytes(ElementType type, int count, String text) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(count, size(type))).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      double value = at(text, i);
      switch (type) {
        case I8, U8 -> bytes.put((byte) (long) value);
        case I16, U16 -> bytes.putShort((short) (long) value);
        case I32, U32 -> bytes.putInt((int) (long) value);
        case I64, U64 -> bytes.putLong((long) value);
        case F16 -> bytes.putShort(Float16.of(value));
        case F32 -> bytes.putFloat((float) value);
        case F64 -> bytes.putDouble(value);
        default -> throw new IllegalArgumentException(type.toString());
      }
    }
    return bytes.array();
  }

  /** The elements of a buffer as numbers. */
  public static double[] numbers(ElementType type, byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
    double[] numbers = new double[content.length / size(type)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          switch (type) {
            case I8 -> bytes.get();
            case U8 -> bytes.get() & 0xff;
            case I16 -> bytes.getShort();
            case U16 -> bytes.getShort() & 0xffff;
            case I32 -> bytes.getInt();
            case U32 -> bytes.getInt() & 0xffffffffL;
            case I64, U64 -> bytes.getLong();
            case F16 -> Float16.toFloat(bytes.getShort());
            case F32 -> bytes.getFloat();
            case F64 -> bytes.getDouble();
            default -> throw new IllegalArgumentException(type.toString());
          };
    }
    return numbers;
  }

  private static int size(ElementType type) {
    return type.bytes();
  }
}
