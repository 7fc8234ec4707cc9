// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file of 64 bits, little-endian, whose parts are read without loading it: a library, or
 * code for a device. The layout is that of elf(5).
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

  /**
   * A section that has content in the file.
   *
   * @param content its bytes, read-only
   */
  public record Section(String name, ByteBuffer content) {}

  private static final int MAGIC = 0x464C457F; // little-endian
  private static final int CLASS_64_LITTLE_ENDIAN = 0x0102;
  private static final int HEADER_BYTES = 64;
  private static final int LEAST_SEGMENT_BYTES = 56;
  private static final int LEAST_SECTION_BYTES = 64;
  private static final int SECTION_WITHOUT_CONTENT = 8; // SHT_NOBITS

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
    for (ByteBuffer entry : table(32, 54, 56, LEAST_SEGMENT_BYTES)) {
      segments.add(
          new Segment(entry.getInt(0), entry.getInt(4), entry.getLong(8), entry.getLong(32)));
    }
    return segments;
  }

  /** The content of a segment, read-only. */
  public ByteBuffer content(Segment segment) {
    return part(bytes, segment.offset(), segment.length());
  }

  /** Its sections with content, in the order of the file; their table is at its end. */
  public List<Section> sections() {
    List<ByteBuffer> table = table(40, 58, 60, LEAST_SECTION_BYTES);
    if (table.isEmpty()) {
      return List.of();
    }
    int named = Short.toUnsignedInt(bytes.getShort(62));
    if (named >= table.size()) {
      throw new IllegalArgumentException(
          "section " + named + " of " + table.size() + " should have the names");
    }
    ByteBuffer names = content(table.get(named));
    List<Section> sections = new ArrayList<>();
    for (ByteBuffer entry : table) {
      if (entry.getInt(4) != SECTION_WITHOUT_CONTENT) {
        sections.add(new Section(name(names, entry.getInt(0)), content(entry)));
      }
    }
    return sections;
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
    return StandardCharsets.ISO_8859_1.decode(rest.slice(0, length)).toString();
  }

  /** The entries of a table, by the places in the header of its offset, entry size and count. */
  private List<ByteBuffer> table(int offsetAt, int sizeAt, int countAt, int least) {
    long offset = bytes.getLong(offsetAt);
    int size = Short.toUnsignedInt(bytes.getShort(sizeAt));
    int count = Short.toUnsignedInt(bytes.getShort(countAt));
    if (count > 0 && size < least) {
      throw new IllegalArgumentException(
          "an entry of a table has " + size + " bytes, and not " + least);
    }
    List<ByteBuffer> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(part(bytes, offset + (long) i * size, size));
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
