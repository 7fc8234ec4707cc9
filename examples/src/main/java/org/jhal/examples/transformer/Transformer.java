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
import org.jhal.examples.Ranges;

/**
 * {@code hal transformer}: a small language model on each device. {@link TransformerRun} is the
 * program.
 */
public final class Transformer {
  private static final int PROMPT = 4;
  private static final int MOST_TOKENS = 250;
  private static final int LARGEST_SEED = 999_999_999;

  /** The kernels that are built in. */
  public static final ExecutableSource KERNELS = TransformerRun.KERNELS;

  private Transformer() {}

  /**
   * The text.
   *
   * @param tokens how many follow a prompt of 4, from 1 to 250
   * @param seed that of the weights and of the prompt, from 1 to 999999999
   */
  public record Options(int tokens, int seed) {
    /**
     * Checks the values.
     *
     * @throws HalException OUT_OF_RANGE for a number
     */
    public Options {
      Ranges.check("tokens", tokens, 1, MOST_TOKENS);
      Ranges.check("seed", seed, 1, LARGEST_SEED);
    }
  }

  /**
   * Continues the prompt on each device, and prints times and errors.
   *
   * @param err gets failures, one a line, as {@code hal: STATUS: message}
   * @return 0 if all texts are right, 1 if the kernels cannot be loaded, a pass failed, or a text
   *     is wrong
   */
  public static int run(
      List<Device> devices,
      ExecutableSource kernels,
      Options options,
      PrintWriter out,
      PrintWriter err)
      throws InterruptedException {
    Shape shape = Shape.STANDARD;
    Weights weights = new Weights(shape, options.seed());
    int[] prompt = new Random(options.seed()).ints(PROMPT, 0, shape.vocabulary()).toArray();
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
          new TransformerRun(device, kernels, weights, prompt, options.tokens())) {
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
