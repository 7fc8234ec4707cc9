// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import java.io.PrintWriter;
import java.util.Optional;
import java.util.spi.ToolProvider;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.examples.Accuracy;

/**
 * {@code hal product}: a matrix product by cuBLAS or hipBLAS on buffers and timelines of JHAL.
 * {@link ProductRun} is the program; here are its arguments.
 */
public final class Product implements ToolProvider {
  private static final String HELP =
      """
      Multiplies two matrices by the vendor's library (cuBLAS, hipBLAS), called as external work
      between uploads and a readback on one timeline; by the kernel of examples/matmul; and on the
      host. Prints times and errors.

      Usage: hal product [--device URI] [--size N] [--repeat N]

      The size is from 1 to 16384, 512 by default; the library and the kernel multiply --repeat
      times (10 by default). A device whose external work runs on the host, as that of the mock,
      multiplies there. The library is found as the system finds it; LD_LIBRARY_PATH names folders.

      Exit codes: 0 all products are right, 1 one is not, or failed, 2 wrong usage, 3 the device or
      the library cannot be opened, 130 interrupted.
      """;

  @Override
  public String name() {
    return "hal-product";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Example: a matrix product by the vendor's library.");
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    String uri = null;
    int size = 512;
    int repeats = 10;
    for (int i = 0; i < args.length; i++) {
      String value = i + 1 < args.length ? args[i + 1] : "";
      if (args[i].equals("--help") || args[i].equals("-h")) {
        out.print(HELP);
        return 0;
      } else if (args[i].equals("--device") && !value.isEmpty()) {
        uri = value;
        i++;
      } else if (args[i].equals("--size") && isNumber(value, 16384)) {
        size = Integer.parseInt(value);
        i++;
      } else if (args[i].equals("--repeat") && isNumber(value, 1_000_000)) {
        repeats = Integer.parseInt(value);
        i++;
      } else {
        err.println(
            "hal: INVALID_ARGUMENT: unknown argument, or one without a proper value: '"
                + args[i]
                + "' (see hal product --help)");
        return 2;
      }
    }
    try (Device device = uri == null ? Hal.openDevice() : Hal.openDevice(uri)) {
      return new ProductRun(device, size, repeats).run(out) ? 0 : 1;
    } catch (HalException e) {
      err.println("hal: " + e.status() + ": " + e.getMessage() + Accuracy.hint(e));
      return switch (e.status()) {
        case INVALID_ARGUMENT -> 2;
        case NOT_FOUND -> 3;
        default -> 1;
      };
    } catch (InterruptedException e) {
      return 130;
    }
  }

  private static boolean isNumber(String text, int most) {
    return text.matches("[1-9][0-9]{0,6}") && Integer.parseInt(text) <= most;
  }
}
