package org.jhal.examples;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntToDoubleFunction;
import javax.imageio.ImageIO;

/**
 * Makes the input files of the examples again: {@code java -cp JAR org.jhal.examples.MakeInputs
 * examples}.
 */
public final class MakeInputs {
  /**
   * How many elements x and y of saxpy have: no multiple of a workgroup, so that the end counts.
   */
  static final int ELEMENTS = 1000;

  private MakeInputs() {}

  /** Writes the files into the folder that is the one argument. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    write(folder.resolve("saxpy/x.npy"), i -> i / 8.0);
    write(folder.resolve("saxpy/y.npy"), i -> 1000 - i);
    Files.createDirectories(folder.resolve("edges"));
    ImageIO.write(picture(), "png", folder.resolve("edges/input.png").toFile());
  }

  private static void write(Path file, IntToDoubleFunction element) throws IOException {
    String header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + ELEMENTS + ",), }";
    ByteBuffer bytes =
        ByteBuffer.allocate(128 + 4 * ELEMENTS).order(ByteOrder.LITTLE_ENDIAN).put((byte) 0x93);
    bytes.put("NUMPY\1\0".getBytes(StandardCharsets.US_ASCII)).putShort((short) 118);
    bytes.put(
        (header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < ELEMENTS; i++) {
      bytes.putFloat((float) element.applyAsDouble(i));
    }
    Files.createDirectories(file.getParent());
    Files.write(file, bytes.array());
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
