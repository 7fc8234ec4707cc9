// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jhal.driver.support.ElfFile;
import org.jspecify.annotations.Nullable;

/**
 * The types of the variables of a thread of a library, as its section {@code .debug_info} says in
 * version 4 of DWARF (chapters 2 and 7). With them an offset in a variable becomes a subscript,
 * such as {@code tile[3][16]} or {@code nodes[2].key}.
 *
 * <p>What a unit says in a form that is not known here is left out, so its variables have no type.
 *
 * <p>Immutable.
 */
public final class VariableTypes {
  /** What the section says of one thing; a reference is the place of another one. */
  private record Entry(int tag, Map<Integer, Object> attributes, List<Entry> children) {
    long number(int attribute, long otherwise) {
      return attributes.get(attribute) instanceof Long number ? number : otherwise;
    }

    String name() {
      return attributes.get(NAME) instanceof String name ? name : "";
    }
  }

  private record Attribute(int name, int form) {}

  private record Abbreviation(int tag, boolean hasChildren, List<Attribute> attributes) {}

  private static final int VERSION = 4;
  private static final int DEEPEST = 64; // of types in types

  // Tags.
  private static final int ARRAY = 0x01;
  private static final int CLASS = 0x02;
  private static final int MEMBER = 0x0D;
  private static final int POINTER = 0x0F;
  private static final int STRUCTURE = 0x13;
  private static final int TYPEDEF = 0x16;
  private static final int UNION = 0x17;
  private static final int INHERITANCE = 0x1C;
  private static final int SUBRANGE = 0x21;
  private static final int CONST = 0x26;
  private static final int VARIABLE = 0x34;
  private static final int VOLATILE = 0x35;
  private static final int ATOMIC = 0x47;

  // Attributes.
  private static final int LOCATION = 0x02;
  private static final int NAME = 0x03;
  private static final int BYTE_SIZE = 0x0B;
  private static final int UPPER_BOUND = 0x2F;
  private static final int ORIGIN = 0x31;
  private static final int COUNT = 0x37;
  private static final int MEMBER_OFFSET = 0x38;
  private static final int SPECIFICATION = 0x47;
  private static final int TYPE = 0x49;

  // Operations of a location.
  private static final int CONST8U = 0x0E;
  private static final int OF_THREAD = 0x9B;
  private static final int OF_THREAD_GNU = 0xE0;

  private final Map<Long, Entry> entries = new HashMap<>(); // by their places in the section
  private final Map<Long, Entry> variables = new HashMap<>(); // by their offsets in the thread's

  /**
   * Reads the types of a library.
   *
   * @throws IllegalArgumentException if it is no ELF file of 64 bits
   */
  public VariableTypes(byte[] library) {
    ElfFile elf = ElfFile.of(ByteBuffer.wrap(library));
    if (elf == null) {
      throw new IllegalArgumentException("the library is no ELF file of 64 bits");
    }
    Map<String, ByteBuffer> sections = new HashMap<>();
    for (ElfFile.Section section : elf.sections()) {
      sections.putIfAbsent(section.name(), section.content().order(ByteOrder.LITTLE_ENDIAN));
    }
    ByteBuffer info = sections.get(".debug_info");
    ByteBuffer abbreviations = sections.get(".debug_abbrev");
    if (info == null || abbreviations == null) {
      return;
    }
    ByteBuffer strings = sections.getOrDefault(".debug_str", ByteBuffer.allocate(0));
    while (info.remaining() > 4) {
      int start = info.position();
      long length = Integer.toUnsignedLong(info.getInt());
      if (length > info.remaining()) {
        return; // a unit of more than 4 GiB
      }
      int end = info.position() + (int) length;
      new Unit(info, start, end, abbreviations, strings).read();
      info.position(end);
    }
  }

  /**
   * An element of a variable as the source calls it.
   *
   * @param variable where the variable begins among those of a thread, in bytes
   * @param offset from the start of the variable, in bytes; perhaps outside
   * @return null if the type is not known, or no element begins there
   */
  public @Nullable String element(int variable, long offset) {
    Entry found = variables.get((long) variable);
    Entry named = found == null ? null : original(found);
    Entry type = named == null ? null : type(named);
    if (named == null || type == null) {
      return null;
    }
    StringBuilder path = new StringBuilder(named.name());
    return append(path, type, offset, 0) ? path.toString() : null;
  }

  /** Adds what is at an offset in a value of a type; returns false if nothing begins there. */
  private boolean append(StringBuilder path, Entry type, long offset, int depth) {
    if (depth > DEEPEST) {
      return false;
    }
    switch (type.tag) {
      case ARRAY -> {
        Entry element = type(type);
        long size = element == null ? 0 : size(element, 0);
        if (element == null || size <= 0) {
          return false;
        }
        List<Long> counts = counts(type);
        long index = Math.floorDiv(offset, size);
        for (int i = 0; i < counts.size(); i++) {
          long within = counts.subList(i + 1, counts.size()).stream().reduce(1L, (a, b) -> a * b);
          if (within <= 0) {
            return false;
          }
          path.append('[').append(Math.floorDiv(index, within)).append(']');
          index = Math.floorMod(index, within);
        }
        return append(path, element, Math.floorMod(offset, size), depth + 1);
      }
      case STRUCTURE, CLASS, UNION -> {
        for (Entry member : type.children) {
          boolean isBase = member.tag == INHERITANCE;
          Entry of = member.tag == MEMBER || isBase ? type(member) : null;
          long at = offset - member.number(MEMBER_OFFSET, 0);
          if (of != null && at >= 0 && at < size(of, 0)) {
            int before = path.length();
            if (!isBase && !member.name().isEmpty()) {
              path.append('.').append(member.name());
            }
            if (append(path, of, at, depth + 1)) {
              return true;
            }
            path.setLength(before); // another member of the union may begin there
          }
        }
        return false;
      }
      default -> {
        return offset == 0;
      }
    }
  }

  /** How many elements an array has, by dimension; the first one may be 0, as that is not used. */
  private static List<Long> counts(Entry array) {
    List<Long> counts = new ArrayList<>();
    for (Entry range : array.children) {
      if (range.tag == SUBRANGE) {
        counts.add(range.number(COUNT, range.number(UPPER_BOUND, -1) + 1));
      }
    }
    return counts;
  }

  /** The size of a value of a type in bytes; 0 if it is not known. */
  private long size(Entry type, int depth) {
    if (type.tag == POINTER) {
      return type.number(BYTE_SIZE, Long.BYTES);
    }
    if (type.tag != ARRAY || depth > DEEPEST) {
      return type.number(BYTE_SIZE, 0);
    }
    Entry element = type(type);
    long all = element == null ? 0 : size(element, depth + 1);
    for (long count : counts(type)) {
      all *= count;
    }
    return all;
  }

  /** The type of something without its qualifiers and other names; null if it is not known. */
  private @Nullable Entry type(Entry of) {
    Entry type = of;
    for (int depth = 0; depth < DEEPEST; depth++) {
      type = type.attributes.get(TYPE) instanceof Long place ? entries.get(place) : null;
      if (type == null
          || !(type.tag == TYPEDEF
              || type.tag == CONST
              || type.tag == VOLATILE
              || type.tag == ATOMIC)) {
        return type;
      }
    }
    return null;
  }

  /** Where the name and the type of a variable are; another place if its function was inlined. */
  private Entry original(Entry variable) {
    Entry found = variable;
    for (int depth = 0; depth < DEEPEST; depth++) {
      Object before = found.attributes.getOrDefault(ORIGIN, found.attributes.get(SPECIFICATION));
      Entry other = before instanceof Long place ? entries.get(place) : null;
      if (other == null) {
        return found;
      }
      found = other;
    }
    return found;
  }

  /** A unit that is not known to the end leaves out the rest. */
  private final class Unit {
    private final ByteBuffer in;
    private final int start;
    private final int end;
    private final ByteBuffer abbreviations;
    private final ByteBuffer strings;
    private int addressBytes;

    Unit(ByteBuffer in, int start, int end, ByteBuffer abbreviations, ByteBuffer strings) {
      this.in = in;
      this.start = start;
      this.end = end;
      this.abbreviations = abbreviations;
      this.strings = strings;
    }

    void read() {
      try {
        if (in.getShort() == VERSION) {
          Map<Long, Abbreviation> known = abbreviations(in.getInt());
          addressBytes = in.get();
          readEntries(known, new ArrayList<>());
        }
      } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
        return; // as of a newer compiler
      }
    }

    private Map<Long, Abbreviation> abbreviations(int at) {
      ByteBuffer from = abbreviations.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(at);
      Map<Long, Abbreviation> known = new HashMap<>();
      for (long code = leb(from); code != 0; code = leb(from)) {
        int tag = (int) leb(from);
        boolean hasChildren = from.get() != 0;
        List<Attribute> attributes = new ArrayList<>();
        int name = (int) leb(from);
        int form = (int) leb(from);
        while (name != 0 || form != 0) {
          attributes.add(new Attribute(name, form));
          name = (int) leb(from);
          form = (int) leb(from);
        }
        known.put(code, new Abbreviation(tag, hasChildren, attributes));
      }
      return known;
    }

    /** Reads entries up to the end, each of which adds itself to the one around it. */
    private void readEntries(Map<Long, Abbreviation> known, List<Entry> around) {
      while (in.position() < end) {
        long place = in.position();
        long code = leb(in);
        if (code == 0) { // the end of the children
          if (!around.isEmpty()) {
            around.remove(around.size() - 1);
          }
          continue;
        }
        Abbreviation how = known.get(code);
        if (how == null) {
          throw new IllegalArgumentException("no abbreviation " + code);
        }
        Entry entry = new Entry(how.tag, new HashMap<>(), new ArrayList<>());
        for (Attribute attribute : how.attributes) {
          Object value = value(attribute.form);
          if (value != null) {
            entry.attributes.put(attribute.name, value);
          }
        }
        add(place, entry, around);
        if (how.hasChildren) {
          around.add(entry);
        }
      }
    }

    private void add(long place, Entry entry, List<Entry> around) {
      entries.put(place, entry);
      if (!around.isEmpty()) {
        around.get(around.size() - 1).children.add(entry);
      }
      if (entry.tag == VARIABLE && entry.attributes.get(LOCATION) instanceof byte[] location) {
        ByteBuffer code = ByteBuffer.wrap(location).order(ByteOrder.LITTLE_ENDIAN);
        boolean isOfThread =
            location.length == 10
                && code.get(0) == CONST8U
                && (Byte.toUnsignedInt(code.get(9)) == OF_THREAD
                    || Byte.toUnsignedInt(code.get(9)) == OF_THREAD_GNU);
        if (isOfThread) {
          variables.put(code.getLong(1), entry);
        }
      }
    }

    /** A number, a place in the section, a text, or bytes; null for what is of no use here. */
    private @Nullable Object value(int form) {
      return switch (form) {
        case 0x01 -> skip(addressBytes);
        case 0x03 -> bytes(Short.toUnsignedInt(in.getShort()));
        case 0x04 -> bytes(in.getInt());
        case 0x05 -> (long) Short.toUnsignedInt(in.getShort());
        case 0x06 -> Integer.toUnsignedLong(in.getInt());
        case 0x07 -> in.getLong();
        case 0x08 -> text(in);
        case 0x09, 0x18 -> bytes((int) leb(in));
        case 0x0A -> bytes(Byte.toUnsignedInt(in.get()));
        case 0x0B, 0x0C -> (long) Byte.toUnsignedInt(in.get());
        case 0x0D -> signedLeb(in);
        case 0x0E -> text(strings.duplicate().position(in.getInt()));
        case 0x0F -> leb(in);
        case 0x10 -> Integer.toUnsignedLong(in.getInt());
        case 0x11 -> start + (long) Byte.toUnsignedInt(in.get());
        case 0x12 -> start + (long) Short.toUnsignedInt(in.getShort());
        case 0x13 -> start + Integer.toUnsignedLong(in.getInt());
        case 0x14 -> start + in.getLong();
        case 0x15 -> start + leb(in);
        case 0x17 -> skip(4);
        case 0x19 -> 1L;
        case 0x20 -> skip(8);
        default -> throw new IllegalArgumentException("form " + form);
      };
    }

    private @Nullable Object skip(int bytes) {
      in.position(in.position() + bytes);
      return null;
    }

    private byte[] bytes(int length) {
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException("a block of " + length + " bytes");
      }
      byte[] bytes = new byte[length];
      in.get(bytes);
      return bytes;
    }
  }

  private static String text(ByteBuffer from) {
    int begin = from.position();
    while (from.get() != 0) {
      // up to the end of the text
    }
    byte[] bytes = new byte[from.position() - 1 - begin];
    from.get(begin, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static long leb(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      int next = Byte.toUnsignedInt(from.get());
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
  }

  private static long signedLeb(ByteBuffer from) {
    long value = 0;
    int shift = 0;
    int next;
    do {
      next = Byte.toUnsignedInt(from.get());
      value |= (long) (next & 0x7F) << shift;
      shift += 7;
    } while (next >= 0x80);
    return (next & 0x40) != 0 && shift < Long.SIZE ? value | -1L << shift : value;
  }
}
