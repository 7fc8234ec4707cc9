package org.jhal.examples.fractal;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.examples.Accuracy;
import org.jhal.examples.OutputFiles;
import org.jhal.examples.UsableDevices;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal fractal}: a picture split over all devices of the machine. {@link FractalRun} is the
 * program; here are its arguments.
 */
public final class Fractal implements ToolProvider {
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

  /** The arguments. */
  private static final class Options {
    private final List<String> uris = new ArrayList<>();
    private int width = 2048;
    private @Nullable String kernels;
    private @Nullable String variants;
    private @Nullable Path out;

    /** Returns the argument that is wrong, or null if none is. */
    private @Nullable String read(String... args) {
      for (int i = 0; i < args.length; i += 2) {
        String value = i + 1 < args.length ? args[i + 1] : "";
        if (value.isEmpty()) {
          return args[i];
        }
        switch (args[i]) {
          case "--device" -> uris.add(value);
          case "--kernels" -> kernels = value;
          case "--variants" -> variants = value;
          case "--out" -> out = Path.of(value);
          case "--size" -> {
            if (!value.matches("[1-9][0-9]{1,4}")
                || Integer.parseInt(value) < 16
                || Integer.parseInt(value) > 16384) {
              return "--size " + value;
            }
            width = Integer.parseInt(value);
          }
          default -> {
            return args[i];
          }
        }
      }
      return null;
    }

    private ExecutableSource bundle() {
      ExecutableSource bundle =
          kernels == null ? FractalRun.KERNELS : ExecutableSource.of(Path.of(kernels));
      return variants == null ? bundle : bundle.withVariants(Path.of(variants));
    }
  }

  @Override
  public String name() {
    return "hal-fractal";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Example: a picture split over all devices of the machine.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    if (List.of(args).contains("--help") || List.of(args).contains("-h")) {
      out.print(HELP);
      return 0;
    }
    Options options = new Options();
    ExecutableSource bundle;
    try {
      String wrong = options.read(args);
      if (wrong != null) {
        err.println(
            "hal: INVALID_ARGUMENT: unknown argument, or one without a proper value: '"
                + wrong
                + "' (see hal fractal --help)");
        return 2;
      }
      bundle = options.bundle();
    } catch (HalException | InvalidPathException e) {
      err.println("hal: INVALID_ARGUMENT: " + e.getMessage());
      return 2;
    }
    List<Device> devices = new ArrayList<>();
    try {
      for (String uri : options.uris.isEmpty() ? List.of("all") : options.uris) {
        if (uri.equals("all")) {
          UsableDevices.open(devices, bundle, err);
        } else {
          devices.add(Hal.openDevice(uri));
        }
      }
      return run(out, err, options, devices, bundle);
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage());
      return e.status() == Status.INVALID_ARGUMENT ? 2 : 3;
    } catch (InterruptedException e) {
      return 130;
    } finally {
      Collections.reverse(devices);
      devices.forEach(Device::close);
    }
  }

  private static int run(
      PrintWriter out,
      PrintWriter err,
      Options options,
      List<Device> devices,
      ExecutableSource bundle)
      throws InterruptedException {
    int height = options.width * 3 / 4;
    Path picture = options.out;
    try {
      if (picture != null) {
        checkWritable(picture); // before anything is computed
      }
      try (FractalRun fractal = new FractalRun(devices, bundle, options.width, height)) {
        fractal.print(out, fractal.compute());
        if (picture != null) {
          write(picture, fractal.pixels(), options.width, height);
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
