// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.Device;
import org.jhal.Hal;

/**
 * Records the results of a GPU. This program is run by hand after the list of functions or their
 * operands have changed; CONTRIBUTING.md describes the steps.
 *
 * <pre>
 * sources FOLDER                  writes a source for each kind of operands, for nvcc
 * operands FILE                   writes all operands, for exact.py
 * record URI FOLDER NAME FILE     runs FOLDER/KIND.cubin on the device, whose name is NAME
 * </pre>
 */
final class RecordResults {
  private RecordResults() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    switch (args[0]) {
      case "sources" -> {
        for (Map.Entry<Operands, List<DialectFunction>> group :
            DialectFunction.byOperands().entrySet()) {
          Files.writeString(
              file(args[1], group.getKey(), "cu"), FunctionRun.source(group.getValue()));
        }
      }
      case "operands" -> writeOperands(Path.of(args[1]));
      case "record" -> record(args[1], args[2], args[3], Path.of(args[4]));
      default -> throw new IllegalArgumentException("no such step: " + args[0]);
    }
  }

  private static Path file(String folder, Operands operands, String suffix) {
    return Path.of(folder, operands.name().toLowerCase(Locale.ROOT) + "." + suffix);
  }

  private static void writeOperands(Path file) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (Operands operands : Operands.values()) {
        Operands.Tuples tuples = operands.tuples();
        for (int[] words : List.of(tuples.a(), tuples.b(), tuples.c())) {
          for (int word : words) {
            out.writeInt(word);
          }
        }
        for (long[] words : List.of(tuples.p(), tuples.q())) {
          for (long word : words) {
            out.writeLong(word);
          }
        }
      }
    }
  }

  private static void record(String uri, String folder, String name, Path file)
      throws IOException, InterruptedException {
    Map<String, long[]> all = new LinkedHashMap<>();
    try (Device device = Hal.openDevice(uri)) {
      for (Map.Entry<Operands, List<DialectFunction>> group :
          DialectFunction.byOperands().entrySet()) {
        byte[] code = Files.readAllBytes(file(folder, group.getKey(), "cubin"));
        all.putAll(
            FunctionRun.run(
                device,
                FunctionRun.bundle(group.getValue()).variant("cuda-cubin", code).build(),
                group.getValue()));
      }
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      new Results(name, all).write(DialectFunction.all(), out);
    }
  }
}
