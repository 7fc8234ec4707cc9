// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jhal.driver.support.ElfFile;

/**
 * Which code and data a part of an object file uses, directly or not, as its relocations say. Each
 * function and each variable has a section of its own, as {@code -ffunction-sections} and {@code
 * -fdata-sections} give it.
 */
final class ObjectFile {
  private final List<String> names = new ArrayList<>(); // of symbols
  private final List<Integer> sections = new ArrayList<>(); // that define symbols; 0 if none does
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<Integer, List<Integer>> used = new HashMap<>(); // symbols, by section

  /**
   * Reads the symbols and the relocations.
   *
   * @throws IllegalArgumentException if it is no ELF file of 64 bits, or a damaged one
   */
  ObjectFile(byte[] bytes) {
    ElfFile file = ElfFile.of(ByteBuffer.wrap(bytes));
    if (file == null) {
      throw new IllegalArgumentException("the compiled file is no ELF file of 64 bits");
    }
    for (ElfFile.Symbol symbol : file.symbols()) {
      byName.put(symbol.name(), names.size());
      byName.putIfAbsent(whole(symbol.name()), names.size());
      names.add(whole(symbol.name()));
      sections.add(symbol.section());
    }
    for (ElfFile.Relocation relocation : file.relocations()) {
      used.computeIfAbsent(relocation.section(), section -> new ArrayList<>())
          .add(relocation.symbol());
    }
  }

  /** The name of what compilers made a part of, such as {@code x.0}. */
  private static String whole(String name) {
    int dot = name.indexOf('.', 1);
    return dot < 0 ? name : name.substring(0, dot);
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
        wanted.set(sections.get(symbol));
      }
    }
    wanted.clear(0);
    BitSet seen = new BitSet();
    Deque<Integer> left = new ArrayDeque<>();
    left.add(sections.get(start));
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
        left.add(sections.get(symbol));
      }
    }
    return false;
  }
}
