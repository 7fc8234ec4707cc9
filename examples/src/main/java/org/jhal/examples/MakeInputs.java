// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongToDoubleFunction;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jhal.HalException;

/**
 * {@code hal inputs FOLDER [ELEMENTS]}: makes the input files of the examples again, or files with
 * larger arrays.
 */
public final class MakeInputs implements ToolProvider {
  /**
   * The number of elements of saxpy's x and y: no multiple of a workgroup, to test the last one.
   */
  static final int ELEMENTS = 1000;

  private static final int PIECE = 1 << 18; // elements written at a time

  @Override
  public String name() {
    return "hal-inputs";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Makes the input files of the examples, also larger ones.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    if (args.length > 0 && (args[0].equals("--help") || args[0].equals("-h"))) {
      out.println("Usage: hal inputs FOLDER [ELEMENTS]");
      out.println("Makes the input files of the examples; saxpy's arrays get " + ELEMENTS);
      out.println("elements, or ELEMENTS if given (268435456 are 1 GiB).");
      return 0;
    }
    if (args.length < 1 || args.length > 2 || args[0].isEmpty() || args[0].startsWith("-")) {
      err.println("hal: INVALID_ARGUMENT: inputs takes FOLDER [ELEMENTS] (see hal inputs --help)");
      return 2;
    }
    String elements = args.length < 2 ? String.valueOf(ELEMENTS) : args[1];
    if (!elements.matches("[0-9]{1,10}") || Long.parseLong(elements) >= 1L << 32) {
      err.println(
          "hal: INVALID_ARGUMENT: ELEMENTS is '" + elements + "'; it must be from 0 to 4294967295");
      return 2;
    }
    Path folder;
    try {
      folder = Path.of(args[0]);
    } catch (InvalidPathException e) {
      err.println("hal: INVALID_ARGUMENT: FOLDER: " + e.getMessage());
      return 2;
    }
    try {
      make(folder, Long.parseLong(elements));
      return 0;
    } catch (IOException e) {
      HalException failure = OutputFiles.failure(folder, e);
      err.println("hal: " + failure.status() + ": " + failure.getMessage());
      return 1;
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
