// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.data;

import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.IndexColorModel;
import java.awt.image.PixelInterleavedSampleModel;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageInputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Pictures of 8 bits per channel as arrays of height x width x channels: grey, grey and alpha, RGB
 * or RGBA. Palettes and greys of fewer bits are expanded. The values are those of the file; no
 * colour is converted.
 */
final class Png {
  private static final long SIGNATURE = 0x89504e470d0a1a0aL;
  private static final int HEADER = 0x49484452; // IHDR
  private static final int END = 0x49454e44; // IEND
  private static final int DATA = 0x49444154; // IDAT
  private static final int PALETTE = 0x504c5445; // PLTE
  private static final int INDEXED = 3; // the colour type

  /** Deflate makes at most 258 bytes of 2 bits. */
  private static final long MAX_INFLATION = 1032;

  /** Channels by colour type; 0 for a type that does not exist. */
  private static final int[] CHANNELS = {1, 0, 3, 1, 2, 0, 4};

  private Png() {}

  /**
   * A decoded picture.
   *
   * @param shape height, width, channels
   * @param samples in C order
   */
  record Picture(Shape shape, byte[] samples) {}

  /**
   * Decodes a file.
   *
   * @param name the name of the file in messages
   * @throws HalException INVALID_ARGUMENT if it is malformed; UNIMPLEMENTED if it has 16 bits per
   *     channel, is too large for an array, or this Java cannot decode pictures
   */
  static Picture decode(byte[] file, String name) {
    int colours = check(file, name);
    try {
      ImageReader reader = ImageIO.getImageReadersByFormatName("png").next();
      try (MemoryCacheImageInputStream in =
          new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
        reader.setInput(in, true, true); // texts and profiles may inflate to anything
        return picture(reader.read(0), colours, name);
      } finally {
        reader.dispose();
      }
    } catch (HalException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof OutOfMemoryError tooLarge) { // which the decoder hides
          throw tooLarge;
        }
      }
      throw malformed(name, String.valueOf(e.getMessage()), e);
    } catch (LinkageError e) {
      throw DataFiles.noPictures(e);
    }
  }

  /**
   * Checks the chunks, since a decoder may invent missing data. Returns how many colours the
   * palette has, or the maximum if the picture needs none.
   */
  private static int check(byte[] file, String name) {
    ByteBuffer in = ByteBuffer.wrap(file);
    if (in.remaining() < 8 || in.getLong() != SIGNATURE) {
      throw malformed(name, "it does not begin as PNG files do", null);
    }
    long rawBytes = 0;
    long dataBytes = 0;
    int colours = Integer.MAX_VALUE;
    for (boolean first = true; ; first = false) {
      if (in.remaining() < 12) {
        throw malformed(name, "it ends before its end mark, after " + file.length + " bytes", null);
      }
      int length = in.getInt();
      if (length < 0 || length > in.remaining() - 8) {
        throw malformed(name, "it ends within a chunk, after " + file.length + " bytes", null);
      }
      int start = in.position();
      int kind = in.getInt();
      CRC32 checksum = new CRC32();
      checksum.update(file, start, 4 + length);
      if ((int) checksum.getValue() != in.getInt(start + 4 + length)) {
        throw malformed(name, "the checksum at byte " + (start + 4 + length) + " is wrong", null);
      }
      if (first) {
        if (kind != HEADER || length != 13) {
          throw malformed(name, "its first chunk is not a header", null);
        }
        rawBytes = rawBytes(in.getInt(), in.getInt(), in.get(), in.get(), name);
        colours = file[in.position() - 1] == INDEXED ? 0 : colours;
      }
      if (kind == PALETTE && colours == 0) {
        colours = length / 3;
      }
      dataBytes += kind == DATA ? length : 0;
      in.position(start + 4 + length + 4);
      if (kind == END) {
        if (rawBytes > dataBytes * MAX_INFLATION) {
          throw malformed(
              name,
              "its pixels take "
                  + rawBytes
                  + " bytes, but its "
                  + dataBytes
                  + " bytes of data hold at most "
                  + dataBytes * MAX_INFLATION,
              null);
        }
        return colours;
      }
    }
  }

  /** Checks the header, and returns how many bytes the pixels take, not compressed. */
  private static long rawBytes(int width, int height, int depth, int colourType, String name) {
    if (width <= 0 || height <= 0) {
      throw malformed(name, "it is " + width + " x " + height + " pixels", null);
    }
    if (depth == 16) {
      throw unsupported(name, "it has 16 bits per channel; 1, 2, 4 and 8 can be read");
    }
    if (depth < 1 || depth > 8 || Integer.bitCount(depth) != 1) {
      throw malformed(name, depth + " bits per channel, which no PNG file has", null);
    }
    if ((long) width * height > Integer.MAX_VALUE / 4) {
      throw unsupported(
          name,
          "it has "
              + width
              + " x "
              + height
              + " pixels; the limit is "
              + Integer.MAX_VALUE / 4
              + " in all");
    }
    int channels = colourType < 0 || colourType > 6 ? 0 : CHANNELS[colourType];
    if (channels == 0) {
      throw malformed(
          name, "its colours are of type " + colourType + ", which does not exist", null);
    }
    return height * (1 + ((long) width * channels * depth + 7) / 8);
  }

  /** The decoder fills a palette up to a power of two with black. */
  private static Picture picture(BufferedImage image, int colours, String name) {
    Raster raster = image.getRaster();
    int width = raster.getWidth();
    int height = raster.getHeight();
    byte[][] levels = levels(image);
    int channels = levels.length == 0 ? raster.getNumBands() : levels.length;
    byte[] samples = new byte[Math.multiplyExact(Math.multiplyExact(width, height), channels)];
    int[] row = new int[width * raster.getNumBands()];
    int at = 0;
    for (int y = 0; y < height; y++) {
      raster.getPixels(0, y, width, 1, row);
      for (int sample : row) {
        if (levels.length == 0) {
          samples[at++] = (byte) sample;
        } else if (sample >= colours) {
          throw malformed(
              name,
              "a pixel in row "
                  + y
                  + " has colour "
                  + sample
                  + " of a palette of "
                  + colours
                  + "; the first is 0",
              null);
        } else {
          for (byte[] channel : levels) {
            samples[at++] = channel[sample];
          }
        }
      }
    }
    return new Picture(Shape.of(height, width, channels), samples);
  }

  /** The value of each palette index, per channel; empty for a picture without a palette. */
  private static byte[][] levels(BufferedImage image) {
    if (!(image.getColorModel() instanceof IndexColorModel palette)) {
      return new byte[0][];
    }
    byte[][] levels = new byte[4][palette.getMapSize()];
    palette.getReds(levels[0]);
    palette.getGreens(levels[1]);
    palette.getBlues(levels[2]);
    palette.getAlphas(levels[3]);
    boolean grey = Arrays.equals(levels[0], levels[1]) && Arrays.equals(levels[1], levels[2]);
    return palette.hasAlpha()
        ? levels
        : grey ? new byte[][] {levels[0]} : new byte[][] {levels[0], levels[1], levels[2]};
  }

  /**
   * Encodes a picture.
   *
   * @param shape height, width and 1 to 4 channels
   * @throws HalException UNIMPLEMENTED if this Java cannot encode pictures
   */
  static byte[] encode(Shape shape, byte[] samples) throws IOException {
    try {
      int height = Math.toIntExact(shape.dimensions().get(0));
      int width = Math.toIntExact(shape.dimensions().get(1));
      int channels = Math.toIntExact(shape.dimensions().get(2));
      ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
        writer.setOutput(out);
        writer.write(new IIOImage(image(width, height, channels, samples), null, null));
      } finally {
        writer.dispose();
      }
      return bytes.toByteArray();
    } catch (LinkageError e) {
      throw DataFiles.noPictures(e);
    }
  }

  private static BufferedImage image(int width, int height, int channels, byte[] samples) {
    int[] offsets = new int[channels];
    Arrays.setAll(offsets, i -> i);
    WritableRaster raster =
        Raster.createWritableRaster(
            new PixelInterleavedSampleModel(
                DataBuffer.TYPE_BYTE, width, height, channels, width * channels, offsets),
            new DataBufferByte(samples, samples.length),
            null);
    boolean alpha = channels % 2 == 0;
    ColorSpace space =
        ColorSpace.getInstance(channels < 3 ? ColorSpace.CS_GRAY : ColorSpace.CS_sRGB);
    return new BufferedImage(
        new ComponentColorModel(
            space,
            alpha,
            false,
            alpha ? Transparency.TRANSLUCENT : Transparency.OPAQUE,
            DataBuffer.TYPE_BYTE),
        raster,
        false,
        null);
  }

  private static HalException unsupported(String name, String why) {
    return new HalException(Status.UNIMPLEMENTED, "unsupported PNG file '" + name + "': " + why);
  }

  private static HalException malformed(String name, String why, @Nullable Throwable cause) {
    return new HalException(
        Status.INVALID_ARGUMENT, "malformed PNG file '" + name + "': " + why, cause);
  }
}
