// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.concurrent.Callable;
import org.jhal.Device;
import org.jhal.examples.product.Product;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hal product}: a matrix product by the vendor's library. */
@Command(
    name = "product",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Example: a matrix product by the vendor's library.",
      "",
      "Multiplies two matrices by the vendor's library (cuBLAS, hipBLAS), called as external work"
          + " between uploads and a readback on one timeline; by the kernel of examples/matmul; and"
          + " on the host. Prints times and errors.",
      "",
      "A device whose external work runs on the host, as that of the mock, multiplies there. The"
          + " library is found as the system finds it; LD_LIBRARY_PATH names folders.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:all products are right",
      "  1:one is not, or failed",
      "  2:wrong usage",
      "  3:the device or the library cannot be opened",
      "130:interrupted"
    })
final class ProductCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--device", paramLabel = "URI", description = "The device.")
  private @Nullable String device;

  @Option(
      names = "--size",
      paramLabel = "N",
      defaultValue = "512",
      description = "The matrices have N rows and columns (${DEFAULT-VALUE}), from 1 to 16384.")
  private int size;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "10",
      description = "How often the library and the kernel multiply (${DEFAULT-VALUE}).")
  private int repeat;

  @Override
  public Integer call() throws InterruptedException {
    Product.Options options =
        CommandFailure.ofOptions(spec, () -> new Product.Options(size, repeat));
    try (Device opened = CommandFailure.openDevice(device)) {
      return Product.run(opened, options, spec.commandLine().getOut(), spec.commandLine().getErr());
    }
  }
}
