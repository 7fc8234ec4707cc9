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
import org.jhal.examples.DevicesCommand;
import org.jhal.examples.OutputFiles;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal fractal}: a picture split over all devices of the machine. {@link FractalRun} is the
 * program; here are its arguments.
 */
public final class Fractal extends DevicesCommand {
  private static final String HELP =
      """
      Computes the Mandelbrot set on several devices at once, and prints how much each device has
      computed. In the picture, each device has its own colour.

      Usage: hal fractal [--device URI ...] [--size N] [--kernels PATH] [--variants FOLDER] [--out PICTURE.png]

      --device may be given several times; `all`, the default, stands for every device of every
      driver. The picture has N columns and three quarters as many rows; N is from 16 to 16384, 2048
      by default. PATH is a bundle with the kernel `band` instead of the one that is built in.
      FOLDER has further variants of it, which are tried first.

      Exit codes: 0 the picture is complete, 1 the kernels cannot be loaded, a band failed, or the
      picture cannot be written, 2 wrong usage, 3 a device cannot be opened, 130 interrupted.
      """;

  /** For {@code hal} and other users of {@link java.util.spi.ToolProvider}. */
  public Fractal() {
    super("fractal", "Example: a picture split over all devices of the machine.", HELP);
  }

  @Override
  protected ExecutableSource bundle() {
    return FractalRun.KERNELS;
  }

  @Override
  protected Run newRun() {
    return new Drawing();
  }

  /** The options, and what they lead to. */
  private static final class Drawing implements Run {
    private int width = 2048;
    private @Nullable Path picture;

    @Override
    public boolean accept(String option, String value) {
      switch (option) {
        case "--out" -> picture = Path.of(value);
        case "--size" -> width = size(value);
        default -> {
          return false;
        }
      }
      return true;
    }

    private static int size(String text) {
      if (!text.matches("[1-9][0-9]{1,4}")
          || Integer.parseInt(text) < 16
          || Integer.parseInt(text) > 16384) {
        throw new IllegalArgumentException(text);
      }
      return Integer.parseInt(text);
    }

    @Override
    public int run(PrintWriter out, PrintWriter err, List<Device> devices, ExecutableSource bundle)
        throws InterruptedException {
      int height = width * 3 / 4;
      try {
        if (picture != null) {
          checkWritable(picture); // before anything is computed
        }
        try (FractalRun fractal = new FractalRun(devices, bundle, width, height)) {
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
