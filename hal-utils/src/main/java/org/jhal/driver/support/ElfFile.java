// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file of 64 bits, little-endian, whose parts are read without loading it: a library, an
 * object file of a compiler, or code for a device. The layout is that of elf(5).
 *
 * <p>Immutable, as long as nothing changes the bytes. The methods throw {@link
 * IllegalArgumentException} for a file that is malformed or cut off; the message says where.
 */
public final class ElfFile {
  /** The type of a segment with notes. */
  public static final int SEGMENT_NOTE = 4;

  /** The type of the segment that says whether the file wants executable stacks. */
  public static final int SEGMENT_STACK = 0x6474E551;

  /** The flag of a segment that is executable. */
  public static final int EXECUTABLE = 1;

  /**
   * A segment.
   *
   * @param type such as {@link #SEGMENT_NOTE}
   * @param flags such as {@link #EXECUTABLE}
   * @param offset where its content begins in the file, in bytes
   * @param length that of its content in the file, in bytes
   */
  public record Segment(int type, int flags, long offset, long length) {}

  /** The type of the symbol of a variable that each thread has for itself. */
  public static final int SYMBOL_OF_THREAD = 6;

  /**
   * A section.
   *
   * @param alignment of its start, in bytes
   * @param length in bytes, also if it has no content
   * @param content its bytes in the file, read-only; none for memory that starts as zeros
   */
  public record Section(String name, long alignment, long length, ByteBuffer content) {}

  /**
   * A symbol.
   *
   * @param name empty if it has none, such as the symbol of a section
   * @param type such as {@link #SYMBOL_OF_THREAD}
   * @param section the index in {@link #sections} of the one that defines it; 0 if none does
   * @param value an address, an offset in its section, or for a variable of a thread its offset
   *     among them, by the type of the file
   * @param length of what it names, in bytes; 0 if it is not known
   */
  public record Symbol(String name, int type, int section, long value, long length) {}

  /**
   * That a section refers to a symbol.
   *
   * @param section the index of the section, counted as in the file
   * @param symbol the index of the symbol in {@link #symbols}
   */
  public record Relocation(int section, int symbol) {}

  private static final int MAGIC = 0x464C457F; // little-endian
  private static final int CLASS_64_LITTLE_ENDIAN = 0x0102;
  private static final int HEADER_BYTES = 64;
  private static final int LEAST_SEGMENT_BYTES = 56;
  private static final int LEAST_SECTION_BYTES = 64;
  private static final int SYMBOLS = 2; // SHT_SYMTAB
  private static final int RELOCATIONS = 4; // SHT_RELA
  private static final int SECTION_WITHOUT_CONTENT = 8; // SHT_NOBITS
  private static final int SYMBOL_SECTIONS = 18; // SHT_SYMTAB_SHNDX
  private static final int SYMBOL_BYTES = 24;
  private static final int RELOCATION_BYTES = 24;
  private static final int RESERVED_INDEX = 0xFF00; // SHN_LORESERVE, and all above it
  private static final int INDEX_ELSEWHERE = 0xFFFF; // SHN_XINDEX

  private final ByteBuffer bytes;

  private ElfFile(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** The file with these bytes; null if it is no such file. */
  public static @Nullable ElfFile of(ByteBuffer bytes) {
    ByteBuffer in = bytes.asReadOnlyBuffer().rewind().order(ByteOrder.LITTLE_ENDIAN);
    boolean isElf =
        in.limit() >= HEADER_BYTES
            && in.getInt(0) == MAGIC
            && in.getShort(4) == CLASS_64_LITTLE_ENDIAN;
    return isElf ? new ElfFile(in) : null;
  }

  /** The number of the processor that it is for, such as 62 for x86-64. */
  public int machine() {
    return Short.toUnsignedInt(bytes.getShort(18));
  }

  /** Its segments, in the order of the file. */
  public List<Segment> segments() {
    List<Segment> segments = new ArrayList<>();
    int count = Short.toUnsignedInt(bytes.getShort(56));
    for (ByteBuffer entry : table(32, 54, count, LEAST_SEGMENT_BYTES)) {
      segments.add(
          new Segment(entry.getInt(0), entry.getInt(4), entry.getLong(8), entry.getLong(32)));
    }
    return segments;
  }

  /** The content of a segment, read-only. */
  public ByteBuffer content(Segment segment) {
    return part(bytes, segment.offset(), segment.length());
  }

  /** Its sections, in the order of the file; their table is at its end. */
  public List<Section> sections() {
    List<ByteBuffer> table = sectionTable();
    if (table.isEmpty()) {
      return List.of();
    }
    int named = Short.toUnsignedInt(bytes.getShort(62));
    if (named == INDEX_ELSEWHERE) {
      named = table.get(0).getInt(40);
    }
    ByteBuffer names = content(section(table, named, "have the names"));
    List<Section> sections = new ArrayList<>();
    for (ByteBuffer entry : table) {
      ByteBuffer content =
          entry.getInt(4) == SECTION_WITHOUT_CONTENT ? part(bytes, 0, 0) : content(entry);
      sections.add(
          new Section(name(names, entry.getInt(0)), entry.getLong(48), entry.getLong(32), content));
    }
    return sections;
  }

  /**
   * A copy in which a section without content has another length. What lies behind it, and its
   * symbols, stay as they are: an object file can be linked with it.
   *
   * @param index of the section in {@link #sections}
   * @param length in bytes
   */
  public ElfFile withLength(int index, long length) {
    ByteBuffer header = section(sectionTable(), index, "have another length");
    if (header.getInt(4) != SECTION_WITHOUT_CONTENT) {
      throw new IllegalArgumentException("section " + index + " has content");
    }
    ByteBuffer copy = ByteBuffer.allocate(bytes.limit()).order(ByteOrder.LITTLE_ENDIAN);
    copy.put(bytes.duplicate().rewind()).rewind();
    int at = (int) bytes.getLong(40) + index * Short.toUnsignedInt(bytes.getShort(58));
    copy.putLong(at + 32, length);
    return new ElfFile(copy.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN));
  }

  /** Its bytes, read-only. */
  public ByteBuffer bytes() {
    return bytes.duplicate().rewind().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Its symbols, in the order of the file; none if it was stripped of them. */
  public List<Symbol> symbols() {
    List<ByteBuffer> table = sectionTable();
    int at = firstOf(SYMBOLS, table);
    if (at < 0) {
      return List.of();
    }
    ByteBuffer names = content(section(table, table.get(at).getInt(40), "name the symbols"));
    ByteBuffer sections = null; // of symbols whose own field is too small for it
    for (ByteBuffer entry : table) {
      if (entry.getInt(4) == SYMBOL_SECTIONS && entry.getInt(40) == at) {
        sections = content(entry);
      }
    }
    List<Symbol> symbols = new ArrayList<>();
    for (ByteBuffer entry : entries(content(table.get(at)), SYMBOL_BYTES)) {
      int section = Short.toUnsignedInt(entry.getShort(6));
      if (section == INDEX_ELSEWHERE) {
        if (sections == null) {
          throw new IllegalArgumentException("it lacks the sections of symbols");
        }
        section = part(sections, 4L * symbols.size(), 4).getInt(0);
      } else if (section >= RESERVED_INDEX) {
        section = 0; // an absolute number, for example
      }
      section(table, section, "define a symbol");
      symbols.add(
          new Symbol(
              name(names, entry.getInt(0)),
              entry.get(4) & 0xF,
              section,
              entry.getLong(8),
              entry.getLong(16)));
    }
    return symbols;
  }

  /** Its references to {@link #symbols}, in the order of the file. */
  public List<Relocation> relocations() {
    List<ByteBuffer> table = sectionTable();
    int symbols = firstOf(SYMBOLS, table);
    List<Relocation> relocations = new ArrayList<>();
    if (symbols < 0) {
      return relocations;
    }
    long count = table.get(symbols).getLong(32) / SYMBOL_BYTES;
    for (ByteBuffer entry : table) {
      if (entry.getInt(4) != RELOCATIONS || entry.getInt(40) != symbols) {
        continue;
      }
      int section = entry.getInt(44);
      section(table, section, "be relocated");
      for (ByteBuffer relocation : entries(content(entry), RELOCATION_BYTES)) {
        int symbol = relocation.getInt(12);
        if (symbol < 0 || symbol >= count) {
          throw new IllegalArgumentException("it has no symbol " + symbol + " of " + count);
        }
        relocations.add(new Relocation(section, symbol));
      }
    }
    return relocations;
  }

  /** The first section of a type; -1 if there is none. */
  private static int firstOf(int type, List<ByteBuffer> table) {
    for (int i = 0; i < table.size(); i++) {
      if (table.get(i).getInt(4) == type) {
        return i;
      }
    }
    return -1;
  }

  private static ByteBuffer section(List<ByteBuffer> table, int index, String purpose) {
    if (index < 0 || index >= table.size()) {
      throw new IllegalArgumentException(
          "section " + index + " of " + table.size() + " should " + purpose);
    }
    return table.get(index);
  }

  private static List<ByteBuffer> entries(ByteBuffer content, int size) {
    if (content.limit() % size != 0) {
      throw new IllegalArgumentException(
          "a table of " + content.limit() + " bytes has entries of " + size);
    }
    List<ByteBuffer> entries = new ArrayList<>();
    for (int at = 0; at < content.limit(); at += size) {
      entries.add(part(content, at, size));
    }
    return entries;
  }

  private ByteBuffer content(ByteBuffer section) {
    return part(bytes, section.getLong(24), section.getLong(32));
  }

  private static String name(ByteBuffer names, int at) {
    ByteBuffer rest = part(names, at, (long) names.limit() - at);
    int length = 0;
    while (length < rest.limit() && rest.get(length) != 0) {
      length++;
    }
    return StandardCharsets.UTF_8.decode(rest.slice(0, length)).toString();
  }

  /** The headers of all sections. The first one has what is too large for the file's header. */
  private List<ByteBuffer> sectionTable() {
    long count = Short.toUnsignedInt(bytes.getShort(60));
    if (count == 0 && bytes.getLong(40) != 0) {
      count = table(40, 58, 1, LEAST_SECTION_BYTES).get(0).getLong(32);
      if (count < 0) {
        throw new IllegalArgumentException("it has " + Long.toUnsignedString(count) + " sections");
      }
    }
    return table(40, 58, count, LEAST_SECTION_BYTES);
  }

  /** The entries of a table, by the places in the header of its offset and entry size. */
  private List<ByteBuffer> table(int offsetAt, int sizeAt, long count, int least) {
    long offset = bytes.getLong(offsetAt);
    int size = Short.toUnsignedInt(bytes.getShort(sizeAt));
    if (count > 0 && size < least) {
      throw new IllegalArgumentException(
          "an entry of a table has " + size + " bytes, and not " + least);
    }
    List<ByteBuffer> entries = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      entries.add(part(bytes, offset + i * size, size));
    }
    return entries;
  }

  private static ByteBuffer part(ByteBuffer of, long offset, long length) {
    if (offset < 0 || length < 0 || offset > of.limit() || length > of.limit() - offset) {
      throw new IllegalArgumentException(
          "it has no " + length + " bytes at " + offset + ", but " + of.limit() + " in all");
    }
    return of.slice((int) offset, (int) length).order(ByteOrder.LITTLE_ENDIAN);
  }
}
