// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a module says about its variables outside functions, which are in one piece of memory: how
 * large it is, what is in it before the first kernel runs, and where those are that have a name.
 * docs/spirv.md describes the texts.
 *
 * @param size in bytes; 0 if there are none
 * @param content the bytes that are not 0, by offset
 * @param pointers the offsets to which pointers point, by the offsets of these
 * @param named the variables that the module exports, by name
 */
record ModuleVariables(
    int size,
    Map<Integer, byte[]> content,
    Map<Integer, Integer> pointers,
    Map<String, Place> named) {
  /** How large the memory may be. */
  private static final int MOST = 1 << 30;

  private static final Pattern TEXT =
      Pattern.compile("jhal-(memory|bytes|pointer|variable) (\\d{1,10})(?: (\\S+))?(?: (\\S+))?");

  /**
   * Where a variable is.
   *
   * @param offset in the memory, in bytes
   * @param size in bytes
   */
  record Place(int offset, int size) {}

  /** Reads the texts of a module, in their order. Used by one thread. */
  static final class Reader {
    private final Map<Integer, byte[]> content = new LinkedHashMap<>();
    private final Map<Integer, Integer> pointers = new LinkedHashMap<>();
    private final Map<String, Place> named = new LinkedHashMap<>();
    private int size;

    /**
     * Takes a text if it is about variables.
     *
     * @return what is wrong with it; null if nothing is
     */
    @Nullable String take(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        return null; // of another kind
      }
      long first = Long.parseLong(parts.group(2));
      String second = parts.group(3);
      String third = parts.group(4);
      try {
        boolean isUnderstood =
            switch (String.valueOf(parts.group(1))) {
              case "memory" -> second == null && takeSize(first);
              case "bytes" -> second != null && third == null && takeBytes(first, second);
              case "pointer" ->
                  second != null && third == null && takePointer(first, Long.parseLong(second));
              default ->
                  second != null && third != null && takeName(first, Long.parseLong(second), third);
            };
        return isUnderstood
            ? null
            : "the memory of its variables has " + size + " bytes, and it says " + shown(text);
      } catch (IllegalArgumentException e) {
        return "it says " + shown(text) + ", which is no number or no text in base 64";
      }
    }

    private static String shown(String text) {
      return "'" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "'";
    }

    private boolean takeSize(long bytes) {
      if (size != 0 || bytes > MOST) {
        return false;
      }
      size = (int) bytes;
      return true;
    }

    private boolean takeBytes(long offset, String base64) {
      byte[] bytes = Base64.getDecoder().decode(base64);
      return isInside(offset, bytes.length) && content.put((int) offset, bytes) == null;
    }

    private boolean takePointer(long at, long target) {
      // A pointer may also point right behind the last variable.
      return isInside(at, Long.BYTES)
          && isInside(target, 0)
          && pointers.put((int) at, (int) target) == null;
    }

    private boolean takeName(long offset, long bytes, String name) {
      return isInside(offset, bytes)
          && named.put(name, new Place((int) offset, (int) bytes)) == null;
    }

    private boolean isInside(long offset, long bytes) {
      return offset >= 0 && bytes >= 0 && bytes <= size && offset <= size - bytes;
    }

    ModuleVariables done() {
      return new ModuleVariables(size, content, pointers, named);
    }
  }

  /**
   * Writes what is in the memory before the first kernel runs.
   *
   * @param memory all of it
   * @param address its address for kernels
   */
  void write(ByteBuffer memory, long address) {
    ByteBuffer bytes = memory.duplicate().order(ByteOrder.nativeOrder());
    byte[] zeros = new byte[Math.min(size, 1 << 16)];
    for (int at = 0; at < size; at += zeros.length) {
      bytes.put(at, zeros, 0, Math.min(zeros.length, size - at));
    }
    content.forEach((offset, part) -> bytes.put(offset, part));
    pointers.forEach((at, target) -> bytes.putLong(at, address + target));
  }
}
