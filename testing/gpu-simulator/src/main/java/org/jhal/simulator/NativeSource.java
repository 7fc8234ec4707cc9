// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Small native libraries for single tests. */
public final class NativeSource {
  private NativeSource() {}

  /**
   * Compiles C into a shared library in {@code folder}. Skips the test where there is no compiler.
   */
  public static Path library(Path folder, String name, String source) throws IOException {
    Toolchain tools = Toolchain.find(false);
    assumeTrue(tools.unavailable().isEmpty(), () -> tools.unavailable().orElse(""));
    Path file = Files.writeString(folder.resolve(name + ".c"), source);
    Path made = folder.resolve("lib" + name + ".so");
    Toolchain.run(
        folder, List.of(tools.c(), "-shared", "-fPIC", "-o", made.toString(), file.toString()));
    return made;
  }
}
