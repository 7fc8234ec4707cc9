package org.jhal.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The inputs of the examples are those that {@link MakeInputs} makes. */
class InputsTest {
  @Test
  void theInputsCanBeMadeAgain(@TempDir Path folder) throws IOException {
    MakeInputs.main(new String[] {folder.toString()});
    for (String name : new String[] {"saxpy/x.npy", "saxpy/y.npy"}) {
      assertArrayEquals(
          Files.readAllBytes(folder.resolve(name)), Files.readAllBytes(Path.of(name)));
    }
    // The pixels and not the bytes: how well a picture is compressed is the library's choice.
    String name = "edges/input.png";
    assertArrayEquals(pixels(folder.resolve(name)), pixels(Path.of(name)));
  }

  private static int[] pixels(Path file) throws IOException {
    BufferedImage image = ImageIO.read(file.toFile());
    assertEquals(Scene.WIDTH, image.getWidth());
    assertEquals(Scene.HEIGHT, image.getHeight());
    return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
  }
}
