// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jhal.driver.support.ElfFile;

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

  private final List<Variable> variables = new ArrayList<>();
  private final List<Variable> others = new ArrayList<>();
  private int anchor;

  /**
   * Reads those of a library.
   *
   * @throws IllegalArgumentException if it is not one of checked kernels
   */
  public SharedVariables(byte[] library) {
    ElfFile elf = read(library);
    ByteBuffer names =
        elf.sections().stream()
            .filter(section -> section.name().equals(SECTION))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException("the library has no section " + SECTION))
            .content();
    Set<String> shared =
        Set.of(StandardCharsets.UTF_8.decode(names).toString().split("[\\n\\x00]+"));
    for (ElfFile.Symbol symbol : elf.symbols()) {
      if (symbol.type() != ElfFile.SYMBOL_OF_THREAD) {
        continue;
      }
      int offset = (int) symbol.value();
      int size = (int) symbol.length();
      if (symbol.name().equals(ANCHOR)) {
        anchor = offset;
      } else if (shared.contains(symbol.name())) {
        variables.add(new Variable(plainName(symbol.name()), offset, size));
      } else {
        others.add(new Variable(symbol.name(), offset, size));
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

  /** An object file with a gap behind each, and C that puts their names into a library. */
  record Separated(byte[] object, String names) {}

  static Separated separate(byte[] object) {
    ElfFile elf = read(object);
    List<ElfFile.Section> sections = elf.sections();
    List<ElfFile.Symbol> symbols = elf.symbols();
    Set<Integer> changed = new HashSet<>();
    for (int i = 0; i < sections.size(); i++) {
      ElfFile.Section section = sections.get(i);
      if (section.name().startsWith(".tbss") && section.alignment() >= ALIGNMENT) {
        elf = elf.withLength(i, (section.length() + GAP - 1) / GAP * GAP + GAP);
        changed.add(i);
      }
    }
    StringBuilder names = new StringBuilder();
    for (ElfFile.Symbol symbol : symbols) {
      if (symbol.type() == ElfFile.SYMBOL_OF_THREAD && changed.contains(symbol.section())) {
        names.append(symbol.name()).append("\\n");
      }
    }
    byte[] separated = new byte[object.length];
    elf.bytes().get(separated);
    return new Separated(
        separated,
        "__attribute__((section(\"%s\"), used)) static const char hal_shared_names[] = \"%s\";\n"
            .formatted(SECTION, names));
  }

  private static ElfFile read(byte[] file) {
    ElfFile elf = ElfFile.of(ByteBuffer.wrap(file));
    if (elf == null) {
      throw new IllegalArgumentException("a compiled file is no ELF file of 64 bits");
    }
    return elf;
  }
}
