// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads MessagePack, the format of the metadata in a code object: maps become {@link Map}s, arrays
 * {@link List}s, strings {@link String}s, whole numbers {@link Long}s, false and true {@link
 * Boolean}s, and types that metadata does not use become an empty string.
 */
final class MessagePack {
  private static final int MAX_DEPTH = 32;

  private final ByteBuffer in;

  private MessagePack(ByteBuffer in) {
    this.in = in; // big-endian, as buffers are by default
  }

  /**
   * Reads one value; anything after it is ignored.
   *
   * @throws IllegalArgumentException if it is malformed, nested too deeply, or has a map whose keys
   *     are not strings
   * @throws java.nio.BufferUnderflowException if it is incomplete
   */
  static Object read(byte[] bytes) {
    return new MessagePack(ByteBuffer.wrap(bytes)).value(0);
  }

  private Object value(int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("values are nested deeper than " + MAX_DEPTH);
    }
    int type = Byte.toUnsignedInt(in.get());
    if (type < 0x80 || type >= 0xe0) {
      return (long) (byte) type;
    } else if (type < 0x90) {
      return map(type & 15, depth);
    } else if (type < 0xa0) {
      return array(type & 15, depth);
    } else if (type < 0xc0) {
      return string(type & 31);
    }
    return switch (type) {
      case 0xc2 -> false;
      case 0xc3 -> true;
      case 0xcc, 0xcd, 0xce, 0xcf -> unsigned(1 << (type - 0xcc));
      case 0xd0 -> (long) in.get();
      case 0xd1 -> (long) in.getShort();
      case 0xd2 -> (long) in.getInt();
      case 0xd3 -> in.getLong();
      case 0xd9, 0xda, 0xdb -> string(unsigned(1 << (type - 0xd9)));
      case 0xdc, 0xdd -> array(unsigned(2 << (type - 0xdc)), depth);
      case 0xde, 0xdf -> map(unsigned(2 << (type - 0xde)), depth);
      case 0xc0 -> "";
      case 0xca -> skip(4);
      case 0xcb -> skip(8);
      case 0xc4, 0xc5, 0xc6 -> skip(unsigned(1 << (type - 0xc4)));
      case 0xc7, 0xc8, 0xc9 -> skip(1 + unsigned(1 << (type - 0xc7)));
      case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> skip(1 + (1L << (type - 0xd4)));
      default -> throw new IllegalArgumentException("there is no type " + type);
    };
  }

  private long unsigned(int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | Byte.toUnsignedInt(in.get());
    }
    return value;
  }

  private String skip(long length) {
    in.position(in.position() + length(length));
    return "";
  }

  private String string(long length) {
    byte[] bytes = new byte[length(length)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * A length, which is checked against the remaining bytes, so that a wrong one allocates nothing.
   */
  private int length(long claimed) {
    if (claimed > in.remaining()) {
      throw new IllegalArgumentException(claimed + " follow, but there are " + in.remaining());
    }
    return (int) claimed;
  }

  private List<Object> array(long count, int depth) {
    List<Object> values = new ArrayList<>();
    for (int left = length(count); left > 0; left--) {
      values.add(value(depth + 1));
    }
    return values;
  }

  private Map<String, Object> map(long count, int depth) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (int left = length(count); left > 0; left--) {
      if (!(value(depth + 1) instanceof String key)) {
        throw new IllegalArgumentException("a key is not a string");
      }
      values.put(key, value(depth + 1));
    }
    return values;
  }
}
