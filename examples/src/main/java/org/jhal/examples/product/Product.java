// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import java.io.PrintWriter;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.examples.Accuracy;
import org.jhal.examples.Ranges;

/**
 * {@code hal product}: a matrix product by cuBLAS or hipBLAS on buffers and timelines of JHAL.
 * {@link ProductRun} is the program.
 */
public final class Product {
  private static final int LARGEST = 16_384;
  private static final int MOST_REPEATS = 1_000_000;

  private Product() {}

  /**
   * What is multiplied.
   *
   * @param size the number of rows and of columns, from 1 to 16384
   * @param repeat how often the library and the kernel multiply, from 1 to 1000000
   */
  public record Options(int size, int repeat) {
    /**
     * Checks the values.
     *
     * @throws HalException OUT_OF_RANGE for a number
     */
    public Options {
      Ranges.check("size", size, 1, LARGEST);
      Ranges.check("repeat", repeat, 1, MOST_REPEATS);
    }
  }

  /**
   * Multiplies, and prints times and errors.
   *
   * @param err gets a failure, as {@code hal: STATUS: message}
   * @return 0 if all products are right, 1 if one is not, or failed, 2 if the library refused it, 3
   *     if the library cannot be opened
   */
  public static int run(Device device, Options options, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    try {
      return new ProductRun(device, options.size(), options.repeat()).run(out) ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
      return switch (e.status()) {
        case INVALID_ARGUMENT -> 2;
        case NOT_FOUND -> 3;
        default -> 1;
      };
    }
  }
}
