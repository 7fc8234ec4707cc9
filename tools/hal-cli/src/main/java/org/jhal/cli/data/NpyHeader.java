// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * The header of a {@code .npy} file: NumPy's formats 1.0, 2.0 and 3.0, of little-endian integers
 * and floats in C order.
 *
 * @param type of the elements
 * @param shape of the array
 * @param bytes the size of the header in bytes, which is the offset of the elements
 */
record NpyHeader(ElementType type, Shape shape, int bytes) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int ALIGNMENT = 64;

  /** Far more than any array of numbers needs; a larger header counts as damaged. */
  private static final int MAX_HEADER = 1 << 20;

  /** Byte order, kind and size as NumPy writes them, and a unit of time; an object has no size. */
  private static final Pattern DESCRIPTION =
      Pattern.compile("([<>|=]?)([biufcmMOSUVa])(\\d*)(\\[[^\\[\\]]*\\])?");

  /** One entry of the dictionary: a quoted key, and a string, a bool or a tuple. */
  private static final Pattern ENTRY =
      Pattern.compile(
          "\\s*(?:'([^'\\\\]*)'|\"([^\"\\\\]*)\")\\s*:\\s*"
              + "('[^'\\\\]*'|\"[^\"\\\\]*\"|True|False|\\([^()]*\\))\\s*(,|$)\\s*");

  /** The start of a list of fields. */
  private static final Pattern STRUCTURED = Pattern.compile("['\"]descr['\"]\\s*:\\s*\\[");

  private static final Pattern DIMENSION = Pattern.compile("\\s*(\\d+)\\s*(,|$)\\s*");

  /**
   * Reads the header of a file, and checks that the file is as long as the header says.
   *
   * @param name the name of the file in messages
   * @throws HalException INVALID_ARGUMENT if it is malformed; UNIMPLEMENTED if it holds an array
   *     that cannot be read: of other elements, big-endian, structured or in Fortran order
   */
  static NpyHeader read(FileChannel channel, String name) throws IOException {
    long fileBytes = channel.size();
    ByteBuffer start = bytes(channel, 0, (int) Math.min(12, fileBytes));
    byte[] magic = new byte[Math.min(MAGIC.length, start.remaining())];
    start.get(magic);
    if (!Arrays.equals(magic, MAGIC) || start.remaining() < 4) {
      throw malformed(name, "it does not begin as .npy files do");
    }
    int major = start.get() & 0xff;
    int minor = start.get() & 0xff;
    if (major < 1 || major > 3 || minor != 0) {
      String why = "format " + major + "." + minor + " is not 1.0, 2.0 or 3.0";
      throw major < 1 ? malformed(name, why) : unsupported(name, why);
    }
    int lengthBytes = major == 1 ? 2 : 4;
    if (start.remaining() < lengthBytes) {
      throw malformed(name, "it ends within the header");
    }
    long length = major == 1 ? start.getShort() & 0xffff : start.getInt() & 0xffff_ffffL;
    int textStart = MAGIC.length + 2 + lengthBytes;
    if (length > MAX_HEADER) {
      throw malformed(name, "a header of " + length + " bytes; the limit is " + MAX_HEADER);
    }
    if (textStart + length > fileBytes) {
      throw malformed(
          name, "the header claims " + length + " bytes, the file has " + (fileBytes - textStart));
    }
    String text =
        (major < 3 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8)
            .decode(bytes(channel, textStart, (int) length))
            .toString();
    NpyHeader header = parse(text, textStart + (int) length, name);
    long expected = header.dataBytes();
    long actual = fileBytes - header.bytes;
    if (actual != expected) {
      throw malformed(
          name,
          "shape "
              + header.shape
              + " of "
              + header.type.label()
              + " takes "
              + expected
              + " bytes, but "
              + actual
              + " follow the header");
    }
    return header;
  }

  /** The number of bytes after the header. */
  long dataBytes() {
    return shape.bytes(type.bytes());
  }

  private static ByteBuffer bytes(FileChannel channel, long position, int count)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    new FileRegion(channel, position, count, null, null).read(0, bytes);
    return bytes.flip();
  }

  private static NpyHeader parse(String text, int bytes, String name) {
    String trimmed = text.strip();
    if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) {
      throw malformed(name, "the header is not a dictionary: " + shortened(text));
    }
    String inside = trimmed.substring(1, trimmed.length() - 1);
    Map<String, String> entries = new HashMap<>();
    Matcher entry = ENTRY.matcher(inside);
    int end = 0;
    while (end < inside.length()) {
      if (!entry.region(end, inside.length()).lookingAt()) {
        if (STRUCTURED.matcher(inside).find()) {
          throw unsupported(
              name,
              "it is a structured array; save each field as an array of its own, such as"
                  + " numpy.ascontiguousarray(a['x']); header: "
                  + shortened(text));
        }
        throw malformed(name, "the header cannot be understood: " + shortened(text));
      }
      String key = entry.group(1) != null ? entry.group(1) : entry.group(2);
      if (entries.put(key, entry.group(3)) != null) {
        throw malformed(name, "the header has '" + key + "' twice");
      }
      end = entry.end();
    }
    if (!entries.keySet().equals(Set.of("descr", "fortran_order", "shape"))) {
      throw malformed(
          name,
          "the header must have descr, fortran_order and shape and nothing else, not "
              + entries.keySet().stream().sorted().toList());
    }
    ElementType type = type(unquoted(entries, "descr", name), name);
    String order = entries.get("fortran_order");
    if ("True".equals(order)) {
      throw unsupported(
          name, "it is in Fortran order; save it in C order (numpy.ascontiguousarray)");
    }
    if (!"False".equals(order)) {
      throw malformed(name, "fortran_order is " + order + ", neither True nor False");
    }
    Shape shape = shape(String.valueOf(entries.get("shape")), type, name);
    return new NpyHeader(type, shape, bytes);
  }

  private static String unquoted(Map<String, String> entries, String key, String name) {
    String value = String.valueOf(entries.get(key));
    if (!value.startsWith("'") && !value.startsWith("\"")) {
      throw malformed(name, key + " is " + value + ", not a string");
    }
    return value.substring(1, value.length() - 1);
  }

  private static ElementType type(String description, String name) {
    Matcher parts = DESCRIPTION.matcher(description);
    if (!parts.matches()) {
      throw malformed(name, "elements '" + shortened(description) + "' are not of a NumPy type");
    }
    String label = parts.group(2) + bits(parts.group(3));
    label = label.equals("V16") ? ElementType.BF16.label() : label; // NumPy has no such type
    for (ElementType type : ElementType.values()) {
      if (type.label().equals(label)) {
        if (parts.group(1).equals(">") && type.bytes() > 1) {
          throw unsupported(
              name,
              "elements '"
                  + description
                  + "' are big-endian; save them as '<"
                  + parts.group(2)
                  + parts.group(3)
                  + "'");
        }
        return type;
      }
    }
    throw unsupported(
        name,
        "elements '"
            + description
            + "' are not i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8, or V2 for bf16, the types that"
            + " kernels take");
  }

  private static String bits(String bytes) {
    return bytes.isEmpty() || bytes.length() > 2
        ? "?"
        : String.valueOf(8 * Integer.parseInt(bytes));
  }

  private static Shape shape(String tuple, ElementType type, String name) {
    List<Long> dimensions = new ArrayList<>();
    if (tuple.startsWith("(")) {
      String inside = tuple.substring(1, tuple.length() - 1).strip();
      Matcher dimension = DIMENSION.matcher(inside);
      int end = 0;
      while (end < inside.length()) {
        if (!dimension.region(end, inside.length()).lookingAt()) {
          throw malformed(name, "shape " + shortened(tuple) + " is not a tuple of sizes");
        }
        try {
          dimensions.add(Long.valueOf(dimension.group(1)));
        } catch (NumberFormatException e) {
          throw malformed(name, "shape " + shortened(tuple) + " is too large");
        }
        end = dimension.end();
      }
      if (dimensions.size() == 1 && !inside.endsWith(",")) {
        throw malformed(name, "shape " + shortened(tuple) + " is not a tuple of sizes");
      }
      try {
        Shape shape = new Shape(dimensions);
        shape.bytes(type.bytes()); // throws if it is too large
        return shape;
      } catch (HalException e) {
        throw malformed(name, String.valueOf(e.getMessage()));
      }
    }
    throw malformed(name, "shape " + shortened(tuple) + " is not a tuple of sizes");
  }

  private static String shortened(String text) {
    String plain = text.strip().replaceAll("[^\\x20-\\x7e]", "?");
    return plain.length() > 80 ? plain.substring(0, 80) + "..." : plain;
  }

  private static HalException unsupported(String name, String why) {
    return new HalException(Status.UNIMPLEMENTED, "unsupported .npy file '" + name + "': " + why);
  }

  private static HalException malformed(String name, String why) {
    return new HalException(Status.INVALID_ARGUMENT, "malformed .npy file '" + name + "': " + why);
  }

  /** The header of format 1.0 (2.0 for very many dimensions), padded as NumPy pads it. */
  static byte[] encode(ElementType type, Shape shape) {
    String order = type.bytes() == 1 ? "|" : "<";
    String tuple =
        shape.dimensions().stream().map(String::valueOf).collect(Collectors.joining(", "));
    String text =
        "{'descr': '"
            + order
            + (type == ElementType.BF16 ? 'V' : type.label().charAt(0))
            + type.bytes()
            + "', 'fortran_order': False, 'shape': ("
            + tuple
            + (shape.rank() == 1 ? ",), }" : "), }");
    int major = text.length() + ALIGNMENT < 1 << 16 ? 1 : 2;
    int start = MAGIC.length + 2 + (major == 1 ? 2 : 4);
    int total = (start + text.length() + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ByteBuffer bytes = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(MAGIC).put((byte) major).put((byte) 0);
    if (major == 1) {
      bytes.putShort((short) (total - start));
    } else {
      bytes.putInt(total - start);
    }
    bytes.put(text.getBytes(StandardCharsets.US_ASCII));
    while (bytes.remaining() > 1) {
      bytes.put((byte) ' ');
    }
    bytes.put((byte) '\n');
    return bytes.array();
  }
}
