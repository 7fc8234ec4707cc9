// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jhal.driver.support.ElfFile;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the source that the code of a library comes from, as its section {@code .debug_line}
 * says in version 4 of DWARF (chapter 6.2).
 *
 * <p>Immutable.
 */
public final class LineTable {
  /**
   * A line of a source.
   *
   * @param line from 1
   */
  public record Place(String file, int line) {}

  /** From an address on, up to the next row. */
  private record Row(long address, @Nullable Place place) {}

  private static final String SECTION = ".debug_line";
  private static final int VERSION = 4;

  private final List<Row> rows = new ArrayList<>(); // by address

  /**
   * Reads the lines of a library.
   *
   * @throws IllegalArgumentException if it is malformed, or has lines of another version
   */
  public LineTable(byte[] library) {
    ElfFile elf = ElfFile.of(ByteBuffer.wrap(library));
    if (elf == null) {
      throw new IllegalArgumentException("the library is no ELF file of 64 bits");
    }
    for (ElfFile.Section section : elf.sections()) {
      if (section.name().equals(SECTION)) {
        ByteBuffer content = section.content().order(ByteOrder.LITTLE_ENDIAN);
        while (content.hasRemaining()) {
          long length = Integer.toUnsignedLong(content.getInt());
          ByteBuffer unit = content.slice(content.position(), (int) length);
          content.position(content.position() + (int) length);
          new Unit(unit.order(ByteOrder.LITTLE_ENDIAN)).read();
        }
      }
    }
    rows.sort(Comparator.comparingLong(Row::address)); // stable: the last of equal ones counts
  }

  /**
   * The line of an address. What is inlined from a file that does not count belongs to the line
   * before it in the code.
   *
   * @param address from the start of the library
   * @param counts by the name of a file
   * @return null if it is not known
   */
  public @Nullable Place find(long address, Predicate<String> counts) {
    int at = -1;
    int high = rows.size();
    while (high - at > 1) {
      int middle = (at + high) >>> 1;
      if (rows.get(middle).address() <= address) {
        at = middle;
      } else {
        high = middle;
      }
    }
    for (; at >= 0; at--) {
      Place place = rows.get(at).place();
      if (place == null) {
        return null; // the end of a function before this one
      }
      if (counts.test(place.file()) && place.line() > 0) {
        return place;
      }
    }
    return null;
  }

  /** Executes the line program of one compilation unit. */
  private final class Unit {
    private static final int COPY = 1;
    private static final int ADVANCE_PC = 2;
    private static final int ADVANCE_LINE = 3;
    private static final int SET_FILE = 4;
    private static final int CONST_ADD_PC = 8;
    private static final int FIXED_ADVANCE_PC = 9;
    private static final int END_SEQUENCE = 1;
    private static final int SET_ADDRESS = 2;
    private static final int DEFINE_FILE = 3;

    private final ByteBuffer in;
    private final List<String> files = new ArrayList<>();
    private int instructionBytes;
    private int lineBase;
    private int lineRange;
    private int[] operands = {}; // of standard opcodes, by number

    private long address;
    private int file = 1;
    private int line = 1;

    Unit(ByteBuffer in) {
      this.in = in;
    }

    void read() {
      int version = in.getShort();
      if (version != VERSION) {
        throw new IllegalArgumentException("lines in version " + version + " of DWARF");
      }
      int headerBytes = in.getInt();
      int program = in.position() + headerBytes;
      instructionBytes = unsigned();
      in.get(); // operations of an instruction
      in.get(); // whether rows are statements at first
      lineBase = in.get();
      lineRange = unsigned();
      operands = new int[unsigned()];
      for (int i = 1; i < operands.length; i++) {
        operands[i] = unsigned();
      }
      while (!text().isEmpty()) {
        // a folder: the names of sources are whole
      }
      files.add(""); // they count from 1
      for (String name = text(); !name.isEmpty(); name = text()) {
        addFile(name);
      }
      in.position(program);
      while (in.hasRemaining()) {
        step(unsigned());
      }
    }

    private void addFile(String name) {
      files.add(name);
      leb();
      leb();
      leb();
    }

    private void step(int opcode) {
      if (opcode >= operands.length) {
        int adjusted = opcode - operands.length;
        address += (long) (adjusted / lineRange) * instructionBytes;
        line += lineBase + adjusted % lineRange;
        add();
        return;
      }
      switch (opcode) {
        case 0 -> extended();
        case COPY -> add();
        case ADVANCE_PC -> address += leb() * instructionBytes;
        case ADVANCE_LINE -> line += (int) signedLeb();
        case SET_FILE -> file = (int) leb();
        case CONST_ADD_PC ->
            address += (long) ((255 - operands.length) / lineRange) * instructionBytes;
        case FIXED_ADVANCE_PC -> address += Short.toUnsignedInt(in.getShort());
        default -> {
          for (int i = 0; i < operands[opcode]; i++) {
            leb();
          }
        }
      }
    }

    private void extended() {
      int end = (int) leb();
      end += in.position();
      switch (unsigned()) {
        case END_SEQUENCE -> {
          rows.add(new Row(address, null));
          address = 0;
          file = 1;
          line = 1;
        }
        case SET_ADDRESS -> address = in.getLong();
        case DEFINE_FILE -> addFile(text());
        default -> {} // is skipped
      }
      in.position(end);
    }

    private void add() {
      String name = file < files.size() ? files.get(file) : "";
      rows.add(new Row(address, new Place(name, line)));
    }

    private int unsigned() {
      return Byte.toUnsignedInt(in.get());
    }

    private String text() {
      int start = in.position();
      int end = start;
      while (in.get(end) != 0) {
        end++;
      }
      byte[] bytes = new byte[end - start];
      in.get(bytes);
      in.get();
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private long leb() {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        int next = unsigned();
        value |= (long) (next & 0x7F) << shift;
        if (next < 0x80) {
          return value;
        }
      }
    }

    private long signedLeb() {
      long value = 0;
      for (int shift = 0; ; ) {
        int next = unsigned();
        value |= (long) (next & 0x7F) << shift;
        shift += 7;
        if (next < 0x80) {
          return (next & 0x40) != 0 && shift < Long.SIZE ? value | -1L << shift : value;
        }
      }
    }
  }
}
