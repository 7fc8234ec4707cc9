// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which code and data a part of an object file uses, directly or not, as its relocations say. Each
 * function and each variable has a section of its own, as {@code -ffunction-sections} and {@code
 * -fdata-sections} give it.
 */
final class ObjectFile {
  // From elf.h.
  private static final int SYMBOLS = 2; // SHT_SYMTAB
  private static final int RELOCATIONS = 4; // SHT_RELA
  private static final int INDEXES = 18; // SHT_SYMTAB_SHNDX
  private static final int SYMBOL_BYTES = 24;
  private static final int RELOCATION_BYTES = 24;
  private static final int EXTENDED = 0xffff; // SHN_XINDEX
  private static final int RESERVED = 0xff00; // SHN_LORESERVE

  private final ByteBuffer file;
  private final int sections;
  private final List<String> names = new ArrayList<>(); // of symbols
  private final List<Integer> homes = new ArrayList<>(); // the sections that symbols are in; or 0
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<Integer, List<Integer>> used = new HashMap<>(); // symbols, by section

  /** Reads the symbols and the relocations of a 64-bit file. */
  ObjectFile(byte[] bytes) {
    file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int few = Short.toUnsignedInt(file.getShort(0x3c));
    sections = few > 0 ? few : (int) file.getLong(header(0) + 0x20);
    int indexes = 0;
    for (int i = 0; i < sections; i++) {
      indexes = type(i) == INDEXES ? offset(i) : indexes;
    }
    for (int i = 0; i < sections; i++) {
      if (type(i) == SYMBOLS) {
        symbols(i, indexes);
      }
    }
    for (int i = 0; i < sections; i++) {
      if (type(i) == RELOCATIONS) {
        relocations(i);
      }
    }
  }

  private int header(int section) {
    return (int) file.getLong(0x28) + section * file.getShort(0x3a);
  }

  private int type(int section) {
    return file.getInt(header(section) + 4);
  }

  private int offset(int section) {
    return (int) file.getLong(header(section) + 0x18);
  }

  private int size(int section) {
    return (int) file.getLong(header(section) + 0x20);
  }

  private void symbols(int section, int indexes) {
    int texts = offset(file.getInt(header(section) + 0x28));
    for (int i = 0; i < size(section) / SYMBOL_BYTES; i++) {
      int at = offset(section) + i * SYMBOL_BYTES;
      int home = Short.toUnsignedInt(file.getShort(at + 6));
      if (home == EXTENDED) {
        home = file.getInt(indexes + 4 * i);
      } else if (home >= RESERVED) {
        home = 0;
      }
      String name = text(texts + file.getInt(at));
      names.add(whole(name));
      homes.add(home);
      byName.put(name, i);
      byName.putIfAbsent(whole(name), i);
    }
  }

  /** The name of what compilers made a part of, such as {@code x.0}. */
  private static String whole(String name) {
    int dot = name.indexOf('.', 1);
    return dot < 0 ? name : name.substring(0, dot);
  }

  private String text(int from) {
    int to = from;
    while (file.get(to) != 0) {
      to++;
    }
    return new String(file.array(), from, to - from, StandardCharsets.UTF_8);
  }

  private void relocations(int section) {
    int of = file.getInt(header(section) + 0x2c);
    List<Integer> symbols = used.computeIfAbsent(of, key -> new ArrayList<>());
    for (int i = 0; i < size(section) / RELOCATION_BYTES; i++) {
      symbols.add(file.getInt(offset(section) + i * RELOCATION_BYTES + 12));
    }
  }

  /**
   * Whether what has a name uses what has one of some other names.
   *
   * @throws IllegalArgumentException if the file lacks the first name
   */
  boolean uses(String from, Set<String> others) {
    Integer start = byName.get(from);
    if (start == null) {
      throw new IllegalArgumentException("the compiled file has no " + from);
    }
    BitSet wanted = new BitSet(); // sections; a local name may be given by its section alone
    for (String other : others) {
      Integer symbol = byName.get(other);
      if (symbol != null) {
        wanted.set(homes.get(symbol));
      }
    }
    wanted.clear(0);
    BitSet seen = new BitSet();
    Deque<Integer> left = new ArrayDeque<>();
    left.add(homes.get(start));
    while (!left.isEmpty()) {
      int section = left.remove();
      if (wanted.get(section)) {
        return true;
      }
      if (section == 0 || seen.get(section)) {
        continue;
      }
      seen.set(section);
      for (int symbol : used.getOrDefault(section, List.of())) {
        if (others.contains(names.get(symbol))) {
          return true;
        }
        left.add(homes.get(symbol));
      }
    }
    return false;
  }
}
