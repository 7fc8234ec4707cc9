// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.fractal;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.examples.Accuracy;
import org.jhal.examples.OutputFiles;
import org.jhal.examples.Ranges;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal fractal}: a picture split over all devices of the machine. {@link FractalRun} is the
 * program.
 */
public final class Fractal {
  private static final int LEAST = 16;
  private static final int MOST = 16_384;

  private Fractal() {}

  /**
   * The picture.
   *
   * @param size the number of columns, from 16 to 16384; there are three quarters as many rows
   * @param out the file that gets it as a PNG, or null
   */
  public record Options(int size, @Nullable Path out) {
    /**
     * Checks the size.
     *
     * @throws HalException OUT_OF_RANGE for {@code size}
     */
    public Options {
      Ranges.check("size", size, LEAST, MOST);
    }
  }

  /**
   * Computes the picture, and prints how much each device has computed.
   *
   * @param err gets a failure, as {@code hal: STATUS: message}
   * @return 0, or 1 if the kernels cannot be loaded, a band failed, or the picture cannot be
   *     written
   */
  public static int run(
      List<Device> devices,
      ExecutableSource kernels,
      Options options,
      PrintWriter out,
      PrintWriter err)
      throws InterruptedException {
    int width = options.size();
    int height = width * 3 / 4;
    Path picture = options.out();
    try {
      if (picture != null) {
        checkWritable(picture); // before anything is computed
      }
      try (FractalRun fractal = new FractalRun(devices, kernels, width, height)) {
        fractal.print(out, fractal.compute());
        if (picture != null) {
          write(picture, fractal.pixels(), width, height);
          out.println("see " + picture);
        }
      }
      return 0;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
      return 1;
    }
  }

  /** Leaves everything as it is. */
  private static void checkWritable(Path file) {
    try {
      boolean isThere = Files.exists(file);
      Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
      if (!isThere) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw OutputFiles.failure(file, e);
    }
  }

  private static void write(Path file, int[] pixels, int width, int height) {
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    picture.setRGB(0, 0, width, height, pixels, 0, width);
    try {
      OutputFiles.writePng(picture, file);
    } catch (IOException e) {
      throw OutputFiles.failure(file, e);
    }
  }
}
