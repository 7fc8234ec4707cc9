// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jhal.cts.arithmetic.DialectFunction;
import org.jhal.cts.arithmetic.FunctionRun;

/** Sources that use each name of the dialect, for the compilers of vendors. */
public final class DialectSources {
  private DialectSources() {}

  /** The kernels that compute the suite's list of functions, by the names of their operands. */
  public static Map<String, String> functions() {
    Map<String, String> sources = new TreeMap<>();
    DialectFunction.byOperands()
        .forEach((operands, all) -> sources.put(operands.name(), FunctionRun.source(all)));
    return sources;
  }

  /** All that is not in that list. */
  public static String names() {
    return read("org/jhal/simulator/kit/names.cpp");
  }

  private static String read(String resource) {
    try (InputStream in = DialectSources.class.getClassLoader().getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
