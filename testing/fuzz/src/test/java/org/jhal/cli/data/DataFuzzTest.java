// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jhal.ElementType;
import org.jhal.fuzz.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that {@code hal run} reads. */
class DataFuzzTest {
  @TempDir private Path folder;

  @Test
  void arrays() throws Exception {
    List<byte[]> seeds = new ArrayList<>();
    for (ElementType type : List.of(ElementType.F32, ElementType.I8, ElementType.BF16)) {
      Shape shape = Shape.of(3, 2);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(NpyHeader.encode(type, shape));
      bytes.writeBytes(new byte[(int) shape.bytes(type.bytes())]);
      seeds.add(bytes.toByteArray());
    }
    Path file = folder.resolve("a.npy");
    new Fuzz(
            "npy",
            seeds,
            List.of(
                "\u0093NUMPY",
                "'descr'",
                "'shape'",
                "(",
                ")",
                ",",
                "'",
                "\"",
                "True",
                "<f8",
                ">f8",
                "|V2",
                "[",
                "{",
                "}",
                ":",
                "9999999999999999999"))
        .run(
            2_000,
            input -> {
              Files.write(file, input);
              try (FileChannel channel = FileChannel.open(file)) {
                NpyHeader unused = NpyHeader.read(channel, "a.npy");
              }
            });
  }

  /** With the checksums of the chunks mended, so that the damage reaches the decoder. */
  @Test
  void pictures() throws Exception {
    List<byte[]> seeds = new ArrayList<>();
    for (int channels = 1; channels <= 4; channels++) {
      seeds.add(Png.encode(Shape.of(5, 7, channels), new byte[5 * 7 * channels]));
    }
    seeds.add(
        chunks(
            "IHDR",
            header(8, 2, 1, 3),
            "PLTE",
            new byte[6],
            "tRNS",
            new byte[2],
            "IDAT",
            deflated(4),
            "IEND",
            new byte[0]));
    seeds.add(
        chunks(
            "IHDR",
            header(8, 8, 8, 0),
            "zTXt",
            text(),
            "iCCP",
            text(),
            "IDAT",
            deflated(72),
            "tIME",
            new byte[7],
            "IEND",
            new byte[0]));
    byte[] inflating = Arrays.copyOf("name\0\0".getBytes(StandardCharsets.US_ASCII), 100_006);
    byte[] zeros = deflated(100_000_000); // in a text of the picture, which nobody wants
    System.arraycopy(zeros, 0, inflating, 6, zeros.length);
    seeds.add(
        chunks(
            "IHDR",
            header(8, 8, 8, 0),
            "zTXt",
            inflating,
            "IDAT",
            deflated(72),
            "IEND",
            new byte[0]));
    new Fuzz(
            "png",
            seeds,
            List.of(
                "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "iCCP", "zTXt", "iTXt", "sBIT", "hIST",
                "gAMA", "cHRM", "sPLT", "bKGD", "tIME", "pHYs"))
        .mending(DataFuzzTest::mended)
        .allocating(32 << 20)
        .run(6_000, input -> Png.decode(input, "a.png"));
  }

  private static byte[] header(int width, int height, int depth, int colours) {
    return ByteBuffer.allocate(13)
        .putInt(width)
        .putInt(height)
        .put((byte) depth)
        .put((byte) colours)
        .array();
  }

  private static byte[] deflated(int bytes) {
    Deflater deflater = new Deflater();
    deflater.setInput(new byte[bytes]);
    deflater.finish();
    byte[] out = new byte[Math.min(bytes + 100, 100_000)];
    int length = deflater.deflate(out);
    deflater.end();
    return Arrays.copyOf(out, length);
  }

  private static byte[] text() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes("name\0\0".getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(deflated(50_000));
    return bytes.toByteArray();
  }

  private static byte[] chunks(Object... namesAndContents) {
    ByteBuffer out = ByteBuffer.allocate(1 << 17);
    out.putLong(0x89504e470d0a1a0aL);
    for (int i = 0; i < namesAndContents.length; i += 2) {
      byte[] content = (byte[]) namesAndContents[i + 1];
      out.putInt(content.length);
      out.put(((String) namesAndContents[i]).getBytes(StandardCharsets.US_ASCII));
      out.put(content).putInt(0);
    }
    byte[] file = new byte[out.flip().remaining()];
    out.get(file);
    return mended(file);
  }

  private static byte[] mended(byte[] file) {
    byte[] whole = file.clone();
    ByteBuffer in = ByteBuffer.wrap(whole);
    int at = 8;
    while (at <= whole.length - 12) {
      long end = at + 8L + in.getInt(at);
      if (in.getInt(at) < 0 || end > whole.length - 4) {
        break;
      }
      CRC32 checksum = new CRC32();
      checksum.update(whole, at + 4, (int) end - at - 4);
      in.putInt((int) end, (int) checksum.getValue());
      at = (int) end + 4;
    }
    return whole;
  }
}
