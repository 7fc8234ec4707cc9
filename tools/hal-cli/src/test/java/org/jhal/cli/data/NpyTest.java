// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.Stream;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NpyTest {
  private static final String GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

  @TempDir private Path folder;

  @Test
  void readsBackRandomArrays() throws IOException {
    Random random = new Random(20);
    for (int i = 0; i < 200; i++) {
      ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
      long[] dimensions = random.longs(random.nextInt(5), 0, 7).toArray();
      Shape shape = Shape.of(dimensions);
      byte[] bytes = new byte[(int) shape.bytes(type.bytes())];
      random.nextBytes(bytes);
      Path file = folder.resolve("a" + i + ".npy");
      try (DataSink sink = DataFiles.create(file, type, shape)) {
        for (int at = 0; at < bytes.length; ) {
          int count = Math.min(1 + random.nextInt(100), bytes.length - at);
          sink.write(ByteBuffer.wrap(bytes, at, count));
          at += count;
        }
        sink.commit();
      }
      try (DataSource source = DataFiles.open(file)) {
        assertEquals(type, source.type());
        assertEquals(shape, source.shape());
        assertArrayEquals(bytes, all(source), "case " + i);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3"})
  void readsAllFormatsOfNumpy(int major) throws IOException {
    Path file = write(major, GOOD + " ".repeat(20) + "\n", new byte[24]);
    try (DataSource source = DataFiles.open(file)) {
      assertEquals(ElementType.F32, source.type());
      assertEquals(Shape.of(2, 3), source.shape());
      assertEquals(24, source.bytes());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "|i1, I8",
    "|u1, U8",
    "<u1, U8",
    ">u1, U8",
    "<i2, I16",
    "<u2, U16",
    "<i4, I32",
    "<u4, U32",
    "<i8, I64",
    "<u8, U64",
    "<f2, F16",
    "<V2, BF16",
    "|V2, BF16",
    "<f4, F32",
    "<f8, F64"
  })
  void readsTheNameOfEachType(String description, ElementType type) throws IOException {
    String header = "{'descr': '" + description + "', 'fortran_order': False, 'shape': (2,), }\n";
    try (DataSource source = DataFiles.open(write(1, header, new byte[2 * type.bytes()]))) {
      assertEquals(type, source.type());
    }
  }

  @Test
  void typesOf16BitsAreWritten() {
    for (String[] one : new String[][] {{"F16", "<f2"}, {"BF16", "<V2"}}) {
      byte[] header = NpyHeader.encode(ElementType.valueOf(one[0]), Shape.of(2));
      String text = new String(header, StandardCharsets.ISO_8859_1);
      assertTrue(text.contains("{'descr': '" + one[1] + "', "), text);
    }
  }

  @Test
  void writesTheSameBytesAsNumpy() {
    // numpy.lib.format.header_data_from_array_1_0 of a (3,) array of float32, format 1.0
    String expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    byte[] header = NpyHeader.encode(ElementType.F32, Shape.of(3));
    assertEquals(128, header.length);
    assertEquals(
        expected + " ".repeat(118 - expected.length() - 1) + "\n",
        new String(header, 10, 118, StandardCharsets.US_ASCII));
    assertEquals((byte) 0x93, header[0]);
    assertEquals("NUMPY\1\0\166\0", new String(header, 1, 9, StandardCharsets.ISO_8859_1));
    assertTrue(
        new String(NpyHeader.encode(ElementType.U8, Shape.of()), StandardCharsets.ISO_8859_1)
            .contains("{'descr': '|u1', 'fortran_order': False, 'shape': (), }"));
  }

  static Stream<Arguments> malformedHeaders() {
    return Stream.of(
        Arguments.of("no dictionary", "hello\n", "not a dictionary"),
        Arguments.of("nothing", "", "not a dictionary"),
        Arguments.of("empty dictionary", "{}\n", "must have descr"),
        Arguments.of("no end", "{'descr': '<f4', \n", "not a dictionary"),
        Arguments.of("a key is missing", "{'descr': '<f4', 'shape': (2, 3), }", "must have descr"),
        Arguments.of("a key too much", GOOD.replace("}", "'extra': True}"), "must have descr"),
        Arguments.of("a key twice", GOOD.replace("}", "'descr': '<f4'}"), "'descr' twice"),
        Arguments.of("no type", GOOD.replace("<f4", "float"), "'float' are not of a NumPy type"),
        Arguments.of("a list elsewhere", GOOD.replace("(2, 3)", "[2, 3]"), "cannot be understood"),
        Arguments.of("order is no bool", GOOD.replace("False", "'no'"), "neither True nor False"),
        Arguments.of("shape is a number", GOOD.replace("(2, 3)", "6"), "cannot be understood"),
        Arguments.of("shape is no tuple", GOOD.replace("(2, 3)", "(6)"), "not a tuple"),
        Arguments.of("shape is a string", GOOD.replace("(2, 3)", "'6'"), "not a tuple"),
        Arguments.of("negative", GOOD.replace("(2, 3)", "(-2, -3)"), "not a tuple"),
        Arguments.of("only a comma", GOOD.replace("(2, 3)", "(,)"), "not a tuple"),
        Arguments.of(
            "past 64 bits", GOOD.replace("(2, 3)", "(99999999999999999999, 1)"), "too large"),
        Arguments.of(
            "product past 64 bits",
            GOOD.replace("(2, 3)", "(4294967296, 4294967296)"),
            "too large"),
        Arguments.of(
            "bytes past 64 bits", GOOD.replace("(2, 3)", "(9223372036854775807,)"), "too large"),
        Arguments.of("larger than the file", GOOD.replace("(2, 3)", "(2, 4)"), "takes 32 bytes"),
        Arguments.of("smaller than the file", GOOD.replace("(2, 3)", "(2, 2)"), "takes 16 bytes"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformedHeaders")
  void aMalformedHeaderIsRefused(String what, String header, String message) throws IOException {
    refused(write(1, header, new byte[24]), message);
  }

  static Stream<Arguments> unsupportedHeaders() {
    return Stream.of(
        Arguments.of("Fortran order", GOOD.replace("False", "True"), "Fortran order"),
        Arguments.of("big-endian", GOOD.replace("<f4", ">f4"), "big-endian; save them as '<f4'"),
        Arguments.of("bytes", GOOD.replace("<f4", "|V3"), "'|V3' are not i1"),
        Arguments.of("complex", GOOD.replace("<f4", "<c8"), "'<c8' are not i1"),
        Arguments.of("bool", GOOD.replace("<f4", "|b1"), "'|b1' are not i1"),
        Arguments.of("strings", GOOD.replace("<f4", "<U12"), "'<U12' are not i1"),
        Arguments.of("times", GOOD.replace("<f4", "<M8[ns]"), "'<M8[ns]' are not i1"),
        Arguments.of("objects", GOOD.replace("<f4", "|O"), "'|O' are not i1"),
        Arguments.of("a size of 10 digits", GOOD.replace("<f4", "<f4444444444"), "are not i1"),
        Arguments.of("records", GOOD.replace("'<f4'", "[('a', '<f4')]"), "structured array"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unsupportedHeaders")
  void aValidHeaderOfAnotherKindIsCalledUnsupported(String what, String header, String message)
      throws IOException {
    refused(Status.UNIMPLEMENTED, "unsupported .npy file", write(1, header, new byte[24]), message);
  }

  @Test
  void reportsALaterFormatAsUnsupported() throws IOException {
    refused(
        Status.UNIMPLEMENTED, "unsupported .npy file", write(4, GOOD, new byte[24]), "format 4.0");
  }

  @Test
  void refusesAFileThatIsNotNpy() throws IOException {
    refused(bytes(new byte[0]), "does not begin as .npy files do");
    refused(bytes("hello, I am no array".getBytes(StandardCharsets.UTF_8)), "does not begin");
    refused(bytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'}), "does not begin");
    refused(bytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}), "does not begin");
    refused(
        bytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 1, 0}),
        "ends within the header");
    refused(write(0, GOOD, new byte[24]), "format 0.0");
    refused(
        bytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 100, 0, '{'}),
        "claims 100 bytes, the file has 1");
    refused(
        bytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, -1, -1, -1, -1}),
        "4294967295 bytes; the limit is");
  }

  @Test
  void aLongHeaderOfNothingIsRefusedQuickly() throws IOException {
    refused(write(2, "{" + " ".repeat(1_000_000) + "!}", new byte[0]), "cannot be understood");
    refused(write(2, "{" + "'a'  :  ".repeat(100_000) + "}", new byte[0]), "cannot be understood");
  }

  @Test
  void readsOrRefusesADamagedFile() throws IOException {
    byte[] good = Files.readAllBytes(write(1, GOOD + "\n", new byte[24]));
    Random random = new Random(21);
    for (int i = 0; i < 3000; i++) {
      byte[] damaged = good.clone();
      for (int n = random.nextInt(3); n >= 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      if (random.nextInt(4) == 0) {
        damaged = java.util.Arrays.copyOf(damaged, random.nextInt(damaged.length));
      }
      Path file = bytes(damaged);
      try (DataSource source = DataFiles.open(file)) {
        assertEquals(24, all(source).length, "case " + i);
      } catch (HalException e) {
        boolean unsupported = String.valueOf(e.getMessage()).startsWith("unsupported");
        assertEquals(
            unsupported ? Status.UNIMPLEMENTED : Status.INVALID_ARGUMENT, e.status(), "case " + i);
      }
    }
  }

  @Test
  void readsAnArrayOfMoreThanTwoGibibytesInPieces() throws IOException {
    long elements = (1L << 29) + 1000; // of f32: a little more than 2 GiB
    Path file = folder.resolve("large.npy");
    byte[] header = NpyHeader.encode(ElementType.F32, Shape.of(elements));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(header));
      // Nothing is written between the header and the last element: the file takes no space.
      channel.write(number(1234), header.length + 4 * elements - 4);
    }
    try (DataSource source = DataFiles.open(file)) {
      assertEquals(4 * elements, source.bytes());
      ByteBuffer end = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
      source.read(4 * elements - 8, end);
      assertEquals(0, end.getInt(0));
      assertEquals(1234, end.getInt(4));
      ByteBuffer past = ByteBuffer.allocate(8);
      assertThrows(IOException.class, () -> source.read(4 * elements - 4, past));
    }
  }

  private static ByteBuffer number(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).flip();
  }

  private static byte[] all(DataSource source) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) source.bytes());
    source.read(0, bytes);
    return bytes.array();
  }

  private Path bytes(byte[] content) throws IOException {
    return Files.write(folder.resolve("file.npy"), content);
  }

  private Path write(int major, String header, byte[] data) throws IOException {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer length = ByteBuffer.allocate(major == 1 ? 2 : 4).order(ByteOrder.LITTLE_ENDIAN);
    if (major == 1) {
      length.putShort((short) text.length);
    } else {
      length.putInt(text.length);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) major, 0});
    out.writeBytes(length.array());
    out.writeBytes(text);
    out.writeBytes(data);
    return bytes(out.toByteArray());
  }

  private static void refused(Path file, String message) {
    refused(Status.INVALID_ARGUMENT, "malformed .npy file", file, message);
  }

  private static void refused(Status status, String start, Path file, String message) {
    HalException e = assertThrows(HalException.class, () -> DataFiles.open(file).close());
    assertEquals(status, e.status());
    String text = String.valueOf(e.getMessage());
    assertTrue(text.startsWith(start + " '" + file + "': ") && text.contains(message), text);
  }
}
