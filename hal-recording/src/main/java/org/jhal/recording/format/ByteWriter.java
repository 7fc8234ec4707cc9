// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that grow. Numbers are unsigned and in 7 bits a byte, the lowest first. */
public final class ByteWriter {
  private byte[] bytes = new byte[256];
  private int size;

  /** Adds a number. */
  public ByteWriter number(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      octet((int) rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    return octet((int) rest);
  }

  /** Adds the low 8 bits of a number. */
  public ByteWriter octet(int value) {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * size);
    }
    bytes[size++] = (byte) value;
    return this;
  }

  /** Adds 8 bytes, the lowest first. */
  public ByteWriter word(long value) {
    for (int i = 0; i < 8; i++) {
      octet((int) (value >>> 8 * i));
    }
    return this;
  }

  /** Adds an array, with its length. */
  public ByteWriter array(byte[] array) {
    number(array.length);
    return raw(array, array.length);
  }

  /** Adds the first bytes of an array, without their number. */
  ByteWriter raw(byte[] array, int length) {
    if (bytes.length - size < length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + length));
    }
    System.arraycopy(array, 0, bytes, size, length);
    size += length;
    return this;
  }

  /** Adds a text. */
  public ByteWriter text(String text) {
    return array(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds a range. */
  public ByteWriter range(Range range) {
    return number(range.memory()).number(range.offset()).number(range.length());
  }

  /** How many bytes there are. */
  public int size() {
    return size;
  }

  /** The array that has them at its beginning, until the next call. */
  byte[] backing() {
    return bytes;
  }

  /** A copy. */
  public byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** Forgets what there is. */
  public ByteWriter clear() {
    size = 0;
    return this;
  }
}
