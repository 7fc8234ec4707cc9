// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jhal.HalException;

/** {@code hal inputs}: makes the input files of the examples again, or files with larger arrays. */
public final class MakeInputs {
  /**
   * The number of elements of saxpy's x and y: no multiple of a workgroup, to test the last one.
   */
  public static final int ELEMENTS = 1000;

  private static final long MOST_ELEMENTS = (1L << 32) - 1;

  private static final int PIECE = 1 << 18; // elements written at a time

  private MakeInputs() {}

  /**
   * What is made where.
   *
   * @param folder that gets the files
   * @param elements the number of elements of saxpy's arrays, from 0 to 4294967295
   */
  public record Options(Path folder, long elements) {
    /**
     * Checks the number.
     *
     * @throws HalException OUT_OF_RANGE for {@code elements}
     */
    public Options {
      Objects.requireNonNull(folder, "folder");
      Ranges.check("elements", elements, 0, MOST_ELEMENTS);
    }
  }

  /**
   * Makes the files.
   *
   * @throws HalException with the status of the failure if a file cannot be written
   */
  public static void run(Options options) {
    try {
      make(options.folder(), options.elements());
    } catch (IOException e) {
      throw OutputFiles.failure(options.folder(), e);
    }
  }

  private static void make(Path folder, long elements) throws IOException {
    write(folder.resolve("saxpy/x.npy"), i -> i / 8.0, elements);
    write(folder.resolve("saxpy/y.npy"), i -> 1000 - i, elements);
    // The sizes are no multiples of a tile. Small whole numbers make a product without rounding.
    write(folder.resolve("matmul/a.npy"), i -> i % 13 - 6, 50, 40);
    write(folder.resolve("matmul/b.npy"), i -> i % 17 - 8, 40, 60);
    Files.createDirectories(folder.resolve("edges"));
    OutputFiles.writePng(picture(), folder.resolve("edges/input.png"));
  }

  private static void write(Path file, LongToDoubleFunction element, long... shape)
      throws IOException {
    long count = LongStream.of(shape).reduce(1, Math::multiplyExact);
    String dimensions =
        LongStream.of(shape)
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(", ", "(", shape.length == 1 ? ",)" : ")"));
    String header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + dimensions + ", }";
    ByteBuffer bytes = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN).put((byte) 0x93);
    bytes.put("NUMPY\1\0".getBytes(StandardCharsets.US_ASCII)).putShort((short) 118);
    bytes.put(
        (header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.US_ASCII));
    Files.createDirectories(file.getParent());
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(bytes.array());
      ByteBuffer piece = ByteBuffer.allocate(4 * PIECE).order(ByteOrder.LITTLE_ENDIAN);
      for (long begin = 0; begin < count; begin += PIECE) {
        piece.clear();
        for (long i = begin; i < Math.min(count, begin + PIECE); i++) {
          piece.putFloat((float) element.applyAsDouble(i));
        }
        out.write(piece.array(), 0, piece.position());
      }
    }
  }

  private static BufferedImage picture() {
    byte[] rgb = Scene.rgb();
    BufferedImage image =
        new BufferedImage(Scene.WIDTH, Scene.HEIGHT, BufferedImage.TYPE_3BYTE_BGR);
    byte[] bgr = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
    for (int i = 0; i < rgb.length; i += 3) {
      bgr[i] = rgb[i + 2];
      bgr[i + 1] = rgb[i + 1];
      bgr[i + 2] = rgb[i];
    }
    return image;
  }
}
