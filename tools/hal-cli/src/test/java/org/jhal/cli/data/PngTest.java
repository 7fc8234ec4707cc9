// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import javax.imageio.ImageIO;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

class PngTest {
  @Test
  void readsBackRandomPictures() throws IOException {
    Random random = new Random(30);
    for (int i = 0; i < 60; i++) {
      Shape shape = Shape.of(1 + random.nextInt(20), 1 + random.nextInt(20), 1 + i % 4);
      byte[] samples = new byte[(int) shape.elements()];
      random.nextBytes(samples);
      Png.Picture picture = Png.decode(Png.encode(shape, samples), "a.png");
      assertEquals(shape, picture.shape());
      assertArrayEquals(samples, picture.samples(), "case " + i + ", shape " + shape);
    }
  }

  @Test
  void everyGreyKeepsItsValue() throws IOException {
    byte[] samples = new byte[256];
    for (int i = 0; i < 256; i++) {
      samples[i] = (byte) i;
    }
    assertArrayEquals(samples, Png.decode(Png.encode(Shape.of(16, 16, 1), samples), "a").samples());
  }

  @Test
  void aPaletteIsExpanded() throws IOException {
    byte[] red = {(byte) 200, 10};
    byte[] green = {100, 20};
    byte[] blue = {50, 30};
    Png.Picture opaque = Png.decode(indexed(new IndexColorModel(1, 2, red, green, blue)), "a");
    assertEquals(Shape.of(1, 2, 3), opaque.shape());
    assertArrayEquals(new byte[] {(byte) 200, 100, 50, 10, 20, 30}, opaque.samples());

    byte[] alpha = {7, (byte) 255};
    Png.Picture clear =
        Png.decode(indexed(new IndexColorModel(1, 2, red, green, blue, alpha)), "a");
    assertEquals(Shape.of(1, 2, 4), clear.shape());
    assertArrayEquals(new byte[] {(byte) 200, 100, 50, 7, 10, 20, 30, (byte) 255}, clear.samples());
  }

  /** The decoder itself fills the palette with black. */
  @Test
  void aColourThatThePaletteLacksIsRefused() throws IOException {
    for (int depth : new int[] {2, 4, 8}) {
      for (int colour = 0; colour < 1 << depth; colour++) {
        byte[] file = onePixel(depth, 3, colour);
        if (colour < 3) {
          assertEquals(Shape.of(1, 1, 3), Png.decode(file, "a").shape());
        } else {
          refused(file, "a pixel in row 0 has colour " + colour + " of a palette of 3; the first");
        }
      }
    }
    refused(onePixel(8, 0, 0), "malformed PNG file");
  }

  /** A picture of one pixel with a colour of a palette. */
  private static byte[] onePixel(int depth, int colours, int colour) throws IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(data)) {
      out.write(new byte[] {0, (byte) (colour << 8 - depth)});
    }
    int[] bytes = IntStream.range(0, data.size()).map(i -> data.toByteArray()[i]).toArray();
    return file(
        header(1, 1, depth, 3),
        chunk("PLTE", IntStream.range(1, 1 + 3 * colours).toArray()),
        chunk("IDAT", bytes),
        chunk("IEND"));
  }

  @Test
  void aGreyOfOneBitIsExpanded() throws IOException {
    byte[] levels = {0, (byte) 255};
    Png.Picture picture =
        Png.decode(indexed(new IndexColorModel(1, 2, levels, levels, levels)), "a");
    assertEquals(Shape.of(1, 2, 1), picture.shape());
    assertArrayEquals(levels, picture.samples());
  }

  /** The pixels 0 and 1 in one row. */
  private static byte[] indexed(IndexColorModel palette) throws IOException {
    BufferedImage image = new BufferedImage(2, 1, BufferedImage.TYPE_BYTE_BINARY, palette);
    image.getRaster().setSample(1, 0, 0, 1);
    return png(image);
  }

  private static byte[] png(BufferedImage image) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertTrue(ImageIO.write(image, "png", out));
    return out.toByteArray();
  }

  @Test
  void reportsAValidUnreadablePictureAsUnsupported() throws IOException {
    byte[] file = png(new BufferedImage(3, 2, BufferedImage.TYPE_USHORT_GRAY));
    refused(Status.UNIMPLEMENTED, "unsupported PNG file", file, "16 bits per channel; 1, 2, 4");
    refused(
        Status.UNIMPLEMENTED,
        "unsupported PNG file",
        file(header(100_000, 100_000, 8, 2), chunk("IEND")),
        "100000 x 100000 pixels; the limit is");
  }

  @Test
  void everyTruncationIsRefused() throws IOException {
    byte[] file = Png.encode(Shape.of(4, 5, 3), new byte[60]);
    for (int length = 0; length < file.length; length++) {
      refused(Arrays.copyOf(file, length), "malformed PNG file");
    }
  }

  @Test
  void everyChangedByteIsRefused() throws IOException {
    byte[] samples = new byte[60];
    new Random(31).nextBytes(samples);
    byte[] file = Png.encode(Shape.of(4, 5, 3), samples);
    for (int i = 0; i < file.length; i++) {
      byte[] damaged = file.clone();
      damaged[i] ^= 0x15;
      refused(damaged, "malformed PNG file");
    }
  }

  @Test
  void anImpossibleHeaderIsRefused() {
    refused(file(header(5, 5, 17, 2), chunk("IEND")), "17 bits per channel");
    for (int depth : new int[] {0, 3, 128}) { // 0 bits of a huge picture need no data
      byte[] huge =
          file(header(16_384_017, 13, depth, 0), chunk("IDAT", new int[900]), chunk("IEND"));
      refused(huge, "bits per channel, which no PNG file has");
    }
    refused(file(header(0, 5, 8, 2), chunk("IEND")), "0 x 5");
    refused(file(header(-1, 5, 8, 2), chunk("IEND")), "-1 x 5");
    for (int colours : new int[] {1, 5, 7, 100, 255}) {
      refused(file(header(5, 5, 8, colours), chunk("IEND")), "which does not exist");
    }
  }

  @Test
  void aPictureWithoutItsPixelsIsRefused() {
    refused(file(header(4, 4, 8, 2), chunk("IEND")), "malformed PNG file");
    refused(file(header(4, 4, 8, 2), chunk("IDAT"), chunk("IEND")), "malformed PNG file");
    refused(file(header(4, 4, 8, 2), chunk("IDAT", 1, 2, 3, 4), chunk("IEND")), "malformed");
    refused(file(header(4, 4, 8, 5), chunk("IEND")), "malformed PNG file");
    refused(file(chunk("IEND")), "first chunk is not a header");
    refused(file(chunk("IHDR", 1, 2, 3), chunk("IEND")), "first chunk is not a header");
  }

  @Test
  void tooFewPixelsAreRefused() throws IOException {
    byte[] file = Png.encode(Shape.of(2, 4, 1), new byte[8]);
    ByteBuffer.wrap(file).putInt(20, 4000); // the height
    CRC32 checksum = new CRC32();
    checksum.update(file, 12, 17);
    ByteBuffer.wrap(file).putInt(29, (int) checksum.getValue());
    refused(file, "malformed PNG file");
  }

  /** Before any memory is allocated for them. */
  @Test
  void morePixelsThanTheDataCanHoldAreRefused() {
    byte[] data = chunk("IDAT", new int[1000]);
    byte[] end = chunk("IEND");
    refused(file(header(16_000_000, 8, 8, 6), data, end), "its 1000 bytes of data hold at most");
    refused(file(header(16_000_000, 1, 8, 0), data, end), "take 16000001 bytes, but");
    refused(file(header(1, 1_000_000, 1, 3), data, end), "take 2000000 bytes, but its 1000 bytes");
    refused(file(header(8_256_000, 1, 1, 0), data, end), "take 1032001 bytes");
    refused(file(header(1000, 1000, 8, 4), end), "its 0 bytes of data");
    // At the limit itself, the decoder refuses it for another reason.
    refused(file(header(8_255_992, 1, 1, 0), data, end), "malformed PNG file");
    HalException allowed =
        assertThrows(
            HalException.class,
            () -> Png.decode(file(header(8_255_992, 1, 1, 0), data, end), "some.png"));
    assertFalse(String.valueOf(allowed.getMessage()).contains("hold at most"), allowed::toString);
  }

  @Test
  void readsAPictureWithTheBestPossibleCompression() throws IOException {
    for (int channels = 1; channels <= 4; channels++) {
      byte[] file = Png.encode(Shape.of(1000, 3000, channels), new byte[3_000_000 * channels]);
      assertTrue(file.length < 3_000_000 * channels / 200, "compressed to " + file.length);
      assertEquals(Shape.of(1000, 3000, channels), Png.decode(file, "a").shape());
    }
  }

  @Test
  void randomPixelDataIsRefused() {
    Random random = new Random(32);
    for (int i = 0; i < 300; i++) {
      int[] data = random.ints(random.nextInt(60), 0, 256).toArray();
      byte[] file =
          file(header(9, 9, 8, new int[] {0, 2, 4, 6}[i % 4]), chunk("IDAT", data), chunk("IEND"));
      refused(file, "malformed PNG file");
    }
  }

  private static byte[] header(int width, int height, int depth, int colour) {
    return chunk(
        "IHDR",
        width >>> 24,
        width >>> 16,
        width >>> 8,
        width,
        height >>> 24,
        height >>> 16,
        height >>> 8,
        height,
        depth,
        colour,
        0,
        0,
        0);
  }

  private static byte[] chunk(String kind, int... data) {
    ByteBuffer chunk = ByteBuffer.allocate(12 + data.length).putInt(data.length);
    for (char c : kind.toCharArray()) {
      chunk.put((byte) c);
    }
    for (int b : data) {
      chunk.put((byte) b);
    }
    CRC32 checksum = new CRC32();
    checksum.update(chunk.array(), 4, 4 + data.length);
    return chunk.putInt((int) checksum.getValue()).array();
  }

  private static byte[] file(byte[]... chunks) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10});
    for (byte[] chunk : chunks) {
      out.writeBytes(chunk);
    }
    return out.toByteArray();
  }

  private static void refused(byte[] file, String message) {
    refused(Status.INVALID_ARGUMENT, "malformed PNG file", file, message);
  }

  private static void refused(Status status, String start, byte[] file, String message) {
    HalException e = assertThrows(HalException.class, () -> Png.decode(file, "some.png"));
    assertEquals(status, e.status());
    String text = String.valueOf(e.getMessage());
    assertTrue(text.startsWith(start + " 'some.png': ") && text.contains(message), text);
  }
}
