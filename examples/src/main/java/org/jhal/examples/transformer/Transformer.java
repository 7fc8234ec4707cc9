package org.jhal.examples.transformer;

import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.examples.Accuracy;
import org.jhal.examples.UsableDevices;
import org.jspecify.annotations.Nullable;

/**
 * {@code hal transformer}: a small language model on each device. {@link TransformerRun} is the
 * program; here are its arguments.
 */
public final class Transformer implements ToolProvider {
  private static final int PROMPT = 4;
  private static final String HELP =
      """
      Has devices continue a text with a small transformer, checks what they write against plain
      Java, and prints how many tokens a second each of them takes.

      Usage: hal transformer [--device URI ...] [--tokens N] [--seed S] [--kernels PATH] [--variants FOLDER]

      --device may be given several times; `all`, the default, stands for every device of every
      driver. N tokens follow a prompt of 4; N is from 1 to 250, 60 by default. The weights and the
      prompt depend on the seed S, 1 by default. PATH is a bundle with the kernels instead of the
      one that is built in. FOLDER has further variants of it, which are tried first.

      Exit codes: 0 all texts are right, 1 the kernels cannot be loaded, a pass failed, or a text is
      wrong, 2 wrong usage, 3 a device cannot be opened, 130 interrupted.
      """;

  /** The arguments. */
  private static final class Options {
    private final List<String> uris = new ArrayList<>();
    private int tokens = 60;
    private int seed = 1;
    private @Nullable String kernels;
    private @Nullable String variants;

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
          case "--tokens" -> tokens = number(value, 250);
          case "--seed" -> seed = number(value, 999_999_999);
          default -> {
            return args[i];
          }
        }
        if (tokens < 0 || seed < 0) {
          return args[i] + " " + value;
        }
      }
      return null;
    }

    /** A number from 1 to {@code most}, or -1. */
    private static int number(String text, int most) {
      int number = text.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(text) : -1;
      return number <= most ? number : -1;
    }

    private ExecutableSource bundle() {
      ExecutableSource bundle =
          kernels == null ? TransformerRun.KERNELS : ExecutableSource.of(Path.of(kernels));
      return variants == null ? bundle : bundle.withVariants(Path.of(variants));
    }
  }

  @Override
  public String name() {
    return "hal-transformer";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Example: a small language model on each device.");
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
                + "' (see hal transformer --help)");
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
    Shape shape = Shape.STANDARD;
    Weights weights = new Weights(shape, options.seed);
    int[] prompt = new Random(options.seed).ints(PROMPT, 0, shape.vocabulary()).toArray();
    out.printf(
        Locale.ROOT,
        "%d layers of %d elements with %d heads, %d tokens, %.1f million weights%n",
        shape.layers(),
        shape.width(),
        shape.width() / Shape.HEAD,
        shape.vocabulary(),
        weights.values().length / 1e6);
    Expected expected = null;
    int exitCode = 0;
    for (Device device : devices) {
      try (TransformerRun run =
          new TransformerRun(device, bundle, weights, prompt, options.tokens)) {
        TransformerRun.Text unused = run.write(); // what runs first is also compiled
        TransformerRun.Text text = run.write();
        if (expected == null || !expected.isFor(text.tokens())) {
          expected = new Expected(weights, text.tokens(), PROMPT);
          out.println("  " + Syllables.of(text.tokens(), PROMPT));
        }
        String problem = expected.problem(text);
        out.printf(
            Locale.ROOT,
            "%10.0f tokens/s  %7.3f ms each  error %.1g of %.1g  %s  %s (%s)%n",
            1e9 * run.passes() / text.nanos(),
            text.nanos() / 1e6 / run.passes(),
            expected.error(text),
            expected.allowed(),
            problem == null ? "ok" : "WRONG",
            device.info().uri(),
            device.info().name());
        if (problem != null) {
          err.println("hal: DATA_LOSS: " + device.info().uri() + ": " + problem);
          exitCode = 1;
        }
      } catch (HalException e) {
        err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
        exitCode = 1;
      }
      out.flush();
    }
    return exitCode;
  }
}
