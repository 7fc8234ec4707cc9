// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a compiler has made of a source.
 *
 * @param code for the device; not copied
 * @param names the symbols of the entry points that are expressions, by expression
 */
record CompiledCode(byte[] code, Map<String, String> names) {
  /** Copies the map. */
  CompiledCode {
    names = Map.copyOf(names);
  }

  /** The symbol of an entry point: the name itself unless it is an expression. */
  String symbol(String entry) {
    return names.getOrDefault(entry, entry);
  }

  /** The form in which it is kept: the symbols in the order of the expressions, then the code. */
  byte[] toBytes(List<String> expressions) {
    if (expressions.isEmpty()) {
      return code;
    }
    List<byte[]> symbols =
        expressions.stream().map(one -> symbol(one).getBytes(StandardCharsets.UTF_8)).toList();
    int length = symbols.stream().mapToInt(symbol -> Integer.BYTES + symbol.length).sum();
    ByteBuffer bytes = ByteBuffer.allocate(length + code.length);
    for (byte[] symbol : symbols) {
      bytes.putInt(symbol.length).put(symbol);
    }
    return bytes.put(code).array();
  }

  /**
   * From the form in which it was kept.
   *
   * @param expressions those that the key has, in its order
   * @return null if these bytes are something else
   */
  static @Nullable CompiledCode of(byte[] kept, List<String> expressions) {
    if (expressions.isEmpty()) {
      return new CompiledCode(kept, Map.of());
    }
    Map<String, String> names = new LinkedHashMap<>();
    ByteBuffer bytes = ByteBuffer.wrap(kept);
    try {
      for (String expression : expressions) {
        byte[] symbol = take(bytes, bytes.getInt());
        names.put(expression, new String(symbol, StandardCharsets.UTF_8));
      }
      return new CompiledCode(take(bytes, bytes.remaining()), names);
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  private static byte[] take(ByteBuffer from, int count) {
    if (count < 0 || count > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] taken = new byte[count];
    from.get(taken);
    return taken;
  }
}
