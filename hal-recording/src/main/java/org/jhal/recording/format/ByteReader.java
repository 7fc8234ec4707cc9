// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link ByteWriter} has written; throws {@link MalformedException} beyond the end. */
final class ByteReader {
  private final byte[] bytes;
  private int at;

  ByteReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Whether the block has more. */
  boolean hasMore() {
    return at < bytes.length;
  }

  int octet() {
    if (at >= bytes.length) {
      throw new MalformedException("a block ends too early");
    }
    return bytes[at++] & 0xFF;
  }

  long number() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = octet();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new MalformedException("a number is too long");
  }

  /** A number that counts or names something that fits into memory. */
  int index() {
    long value = number();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new MalformedException("a number is out of range: " + value);
    }
    return (int) value;
  }

  /** A number that is less than {@code count}. */
  int index(int count) {
    int index = index();
    if (index >= count) {
      throw new MalformedException("there are " + count + ", and it names number " + index);
    }
    return index;
  }

  long word() {
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value |= (long) octet() << 8 * i;
    }
    return value;
  }

  byte[] array() {
    int length = index();
    if (length > bytes.length - at) {
      throw new MalformedException("an array ends too late");
    }
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return copy;
  }

  String text() {
    return new String(array(), StandardCharsets.UTF_8);
  }

  Range range() {
    return new Range(index(), number(), number());
  }
}
