// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import java.util.List;

/** Prints from kernels. The argument is the form of the device's kernels. */
final class PrintingProgram {
  private PrintingProgram() {}

  public static void main(String[] arguments) throws Exception {
    List<String> kernels = List.of("formats", "cut", "items", "prints_and_traps");
    String options = "threads=4&barriers=" + arguments[0];
    try (FaultRun run = new FaultRun(options, "printing.cpp", kernels)) {
      for (String kernel : kernels) {
        run.run(kernel, kernel.equals("items") ? 50 : 1);
      }
    }
  }
}
