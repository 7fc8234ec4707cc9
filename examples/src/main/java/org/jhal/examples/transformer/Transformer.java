// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.transformer;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jhal.Device;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.examples.Accuracy;
import org.jhal.examples.DevicesCommand;

/**
 * {@code hal transformer}: a small language model on each device. {@link TransformerRun} is the
 * program; here are its arguments.
 */
public final class Transformer extends DevicesCommand {
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

  /** For {@code hal} and other users of {@link java.util.spi.ToolProvider}. */
  public Transformer() {
    super("transformer", "Example: a small language model on each device.", HELP);
  }

  @Override
  protected ExecutableSource bundle() {
    return TransformerRun.KERNELS;
  }

  @Override
  protected Run newRun() {
    return new Writing();
  }

  /** The options, and what they lead to. */
  private static final class Writing implements Run {
    private int tokens = 60;
    private int seed = 1;

    @Override
    public boolean accept(String option, String value) {
      switch (option) {
        case "--tokens" -> tokens = number(value, 250);
        case "--seed" -> seed = number(value, 999_999_999);
        default -> {
          return false;
        }
      }
      return true;
    }

    /** A number from 1 to {@code most}. */
    private static int number(String text, int most) {
      if (!text.matches("[1-9][0-9]{0,8}") || Integer.parseInt(text) > most) {
        throw new IllegalArgumentException(text);
      }
      return Integer.parseInt(text);
    }

    @Override
    public int run(PrintWriter out, PrintWriter err, List<Device> devices, ExecutableSource bundle)
        throws InterruptedException {
      Shape shape = Shape.STANDARD;
      Weights weights = new Weights(shape, seed);
      int[] prompt = new Random(seed).ints(PROMPT, 0, shape.vocabulary()).toArray();
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
        try (TransformerRun run = new TransformerRun(device, bundle, weights, prompt, tokens)) {
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
}
