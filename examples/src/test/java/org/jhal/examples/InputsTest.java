// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The inputs of the examples are those that {@link MakeInputs} makes. */
class InputsTest {
  @Test
  void makesTheSameInputsAgain(@TempDir Path folder) throws IOException {
    assertEquals(0, make(folder.toString()));
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
    assertEquals(0, make(folder.toString(), String.valueOf(elements)));
    byte[] file = Files.readAllBytes(folder.resolve("saxpy/x.npy"));
    assertEquals(128 + 4 * elements, file.length);
    assertTrue(new String(file, 0, 128, StandardCharsets.US_ASCII).contains("'shape': (262145,)"));
    ByteBuffer numbers = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(1f, numbers.getFloat(128 + 4 * 8));
    assertEquals(32768f, numbers.getFloat(128 + 4 * (1 << 18)));
  }

  @Test
  void wrongUsageMakesNothing(@TempDir Path folder) throws IOException {
    assertEquals(2, make());
    assertEquals(2, make(""), "an empty path was taken for the current folder");
    assertEquals(2, make("--no-such-option"));
    assertEquals(2, make(folder.toString(), "-1"));
    assertEquals(2, make(folder.toString(), "4294967296"));
    assertEquals(2, make(folder.toString(), "1", "2"));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }

  private static int make(String... args) {
    PrintWriter out = new PrintWriter(new StringWriter());
    return new MakeInputs().run(out, out, args);
  }

  private static int[] pixels(Path file) throws IOException {
    BufferedImage image = ImageIO.read(file.toFile());
    assertEquals(Scene.WIDTH, image.getWidth());
    assertEquals(Scene.HEIGHT, image.getHeight());
    return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
  }
}
