// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The inputs of the examples are those that {@link MakeInputs} makes. */
class InputsTest {
  @Test
  void makesTheSameInputsAgain(@TempDir Path folder) throws IOException {
    MakeInputs.run(new MakeInputs.Options(folder, MakeInputs.ELEMENTS));
    for (String name :
        new String[] {"saxpy/x.npy", "saxpy/y.npy", "matmul/a.npy", "matmul/b.npy"}) {
      assertArrayEquals(
          Files.readAllBytes(folder.resolve(name)), Files.readAllBytes(Path.of(name)));
    }
    // The pixels and not the bytes: how well a picture is compressed is the library's choice.
    String name = "edges/input.png";
    assertArrayEquals(pixels(folder.resolve(name)), pixels(Path.of(name)));
  }

  @Test
  void makesLargerArrays(@TempDir Path folder) throws IOException {
    int elements = (1 << 18) + 1; // more than is written at a time
    MakeInputs.run(new MakeInputs.Options(folder, elements));
    byte[] file = Files.readAllBytes(folder.resolve("saxpy/x.npy"));
    assertEquals(128 + 4 * elements, file.length);
    assertTrue(new String(file, 0, 128, StandardCharsets.US_ASCII).contains("'shape': (262145,)"));
    ByteBuffer numbers = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(1f, numbers.getFloat(128 + 4 * 8));
    assertEquals(32768f, numbers.getFloat(128 + 4 * (1 << 18)));
  }

  @Test
  void refusesANumberOutOfRange(@TempDir Path folder) {
    for (long elements : new long[] {-1, 1L << 32}) {
      HalException thrown =
          assertThrows(
              HalException.class,
              () -> new MakeInputs.Options(folder, elements),
              () -> elements + " elements");
      assertEquals(Status.OUT_OF_RANGE, thrown.status());
      assertEquals("elements " + elements + " is not from 0 to 4294967295", thrown.getMessage());
    }
  }

  private static int[] pixels(Path file) throws IOException {
    BufferedImage image = ImageIO.read(file.toFile());
    assertEquals(Scene.WIDTH, image.getWidth());
    assertEquals(Scene.HEIGHT, image.getHeight());
    return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
  }
}
