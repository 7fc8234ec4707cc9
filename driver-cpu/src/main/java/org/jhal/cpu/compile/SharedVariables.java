// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The variables in the shared memory of checked kernels, which are variables of the thread. In an
 * object file each has a section of its own; those in shared memory are known by an alignment that
 * no other has, see {@code HAL_ALIGNED}. The layout is that of elf(5).
 */
public final class SharedVariables {
  /**
   * A variable.
   *
   * @param offset among the variables of a thread of the library, in bytes
   * @param size in bytes
   */
  public record Variable(String name, int offset, int size) {}

  private static final String SECTION = ".jhal.shared";
  private static final String ANCHOR = "hal_anchor";
  private static final int ALIGNMENT = 128;
  private static final int GAP =
      64; // behind each, so that an access that just misses one hits none
  private static final int SYMBOLS = 2; // SHT_SYMTAB
  private static final int THREAD = 6; // STT_TLS

  private final List<Variable> variables = new ArrayList<>();
  private final List<Variable> others = new ArrayList<>();
  private int anchor;

  /**
   * Reads those of a library.
   *
   * @throws IllegalArgumentException if it is not one of checked kernels
   */
  public SharedVariables(byte[] library) {
    Elf elf = new Elf(library);
    ByteBuffer names = elf.content(SECTION);
    if (names == null) {
      throw new IllegalArgumentException("the library has no section " + SECTION);
    }
    byte[] text = new byte[names.remaining()];
    names.get(text);
    Set<String> shared =
        new LinkedHashSet<>(
            Arrays.asList(new String(text, StandardCharsets.UTF_8).split("[\\n\\x00]")));
    for (Symbol symbol : elf.symbols()) {
      if (symbol.name().equals(ANCHOR)) {
        anchor = (int) symbol.value();
      } else if (symbol.isOfThread() && shared.contains(symbol.name())) {
        variables.add(
            new Variable(plainName(symbol.name()), (int) symbol.value(), (int) symbol.size()));
      } else if (symbol.isOfThread()) {
        others.add(new Variable(symbol.name(), (int) symbol.value(), (int) symbol.size()));
      }
    }
  }

  /** All of them. */
  public List<Variable> variables() {
    return variables;
  }

  /** The variables of a thread that are not in shared memory. */
  public List<Variable> others() {
    return others;
  }

  /** Where {@code hal_anchor} is among the variables of a thread. */
  public int anchor() {
    return anchor;
  }

  /** The name in the source of a variable, whose name in the file is mangled. */
  static String plainName(String mangled) {
    String name = mangled.replaceFirst("\\.\\d+$", "").replaceFirst("_\\d+$|_+\\d+_$", "");
    for (int start = name.length() - 1; start > 0; start--) { // behind its length, such as 4tile
      int length = name.length() - start;
      String digits = Integer.toString(length);
      if (name.startsWith(digits, start - digits.length())) {
        return name.substring(start);
      }
    }
    return name;
  }

  /**
   * Leaves a gap behind each in an object file, and returns C that puts their names into a library.
   */
  static String separate(byte[] object) {
    Elf elf = new Elf(object);
    Set<Integer> sections = new LinkedHashSet<>();
    for (int i = 0; i < elf.count(); i++) {
      if (elf.name(i).startsWith(".tbss") && elf.section(i).getLong(48) >= ALIGNMENT) {
        ByteBuffer section = elf.section(i);
        long size = section.getLong(32);
        section.putLong(32, (size + GAP - 1) / GAP * GAP + GAP);
        sections.add(i);
      }
    }
    StringBuilder names = new StringBuilder();
    for (Symbol symbol : elf.symbols()) {
      if (symbol.isOfThread() && sections.contains(symbol.section())) {
        names.append(symbol.name()).append("\\n");
      }
    }
    return "__attribute__((section(\"%s\"), used)) static const char hal_shared_names[] = \"%s\";\n"
        .formatted(SECTION, names);
  }

  private record Symbol(String name, boolean isOfThread, int section, long value, long size) {}

  /** The parts of an ELF file of 64 bits, which can be changed. */
  private static final class Elf {
    private final ByteBuffer bytes;
    private final ByteBuffer names;

    Elf(byte[] file) {
      bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
      names = content(Short.toUnsignedInt(bytes.getShort(62)));
    }

    int count() {
      int count = Short.toUnsignedInt(bytes.getShort(60));
      return count == 0 ? (int) section(0).getLong(32) : count;
    }

    ByteBuffer section(int index) {
      int at = (int) bytes.getLong(40) + index * Short.toUnsignedInt(bytes.getShort(58));
      return bytes.slice(at, 64).order(ByteOrder.LITTLE_ENDIAN);
    }

    String name(int index) {
      return text(names, section(index).getInt(0));
    }

    private ByteBuffer content(int index) {
      ByteBuffer section = section(index);
      return bytes
          .slice((int) section.getLong(24), (int) section.getLong(32))
          .order(ByteOrder.LITTLE_ENDIAN);
    }

    @Nullable ByteBuffer content(String name) {
      for (int i = 0; i < count(); i++) {
        if (name(i).equals(name)) {
          return content(i);
        }
      }
      return null;
    }

    List<Symbol> symbols() {
      List<Symbol> symbols = new ArrayList<>();
      for (int i = 0; i < count(); i++) {
        if (section(i).getInt(4) != SYMBOLS) {
          continue;
        }
        ByteBuffer strings = content(section(i).getInt(40));
        ByteBuffer table = content(i);
        for (int at = 0; at < table.limit(); at += 24) {
          symbols.add(
              new Symbol(
                  text(strings, table.getInt(at)),
                  (table.get(at + 4) & 0xF) == THREAD,
                  Short.toUnsignedInt(table.getShort(at + 6)),
                  table.getLong(at + 8),
                  table.getLong(at + 16)));
        }
      }
      return symbols;
    }

    private static String text(ByteBuffer in, int at) {
      int end = at;
      while (in.get(end) != 0) {
        end++;
      }
      byte[] text = new byte[end - at];
      in.get(at, text);
      return new String(text, StandardCharsets.UTF_8);
    }
  }
}
