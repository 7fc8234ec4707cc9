// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.dialect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The headers that make C++ the language of kernels. Compilers of the host include all of them;
 * those of GPUs have most of it built in, and get the rest where a source includes it.
 *
 * <p>The headers {@code hal_half.h} and {@code hal_cooperative.h} are for both. The latter needs a
 * {@code hal_member} of the user: how a work item meets others.
 *
 * <p>Uses no lambdas, whose first use in a process takes longer than the rest. Thread-safe.
 */
public final class Dialect {
  private static final List<String> FILES =
      List.of(
          "hal_assert.h",
          "hal_atomic.h",
          "hal_compiler.h",
          "hal_cooperative.h",
          "hal_device.h",
          "hal_directed.h",
          "hal_half.h",
          "hal_integer_simd.h",
          "hal_integers.h",
          "hal_lanes.h",
          "hal_macros.h",
          "hal_math.h",
          "hal_names.h",
          "hal_rounding.h",
          "hal_special.h",
          "hal_standard.h",
          "hal_standard_math.h",
          "hal_types.h");

  private Dialect() {}

  /** The names of all headers. */
  public static List<String> files() {
    return FILES;
  }

  /**
   * The text of a header, which includes others by name.
   *
   * @throws IllegalArgumentException if there is no such header
   */
  public static String text(String file) {
    if (!FILES.contains(file)) {
      throw new IllegalArgumentException("no header " + file + "; there are " + FILES);
    }
    return read(file);
  }

  /**
   * The include files of sources for which the dialect stands, such as {@code stdint.h}.
   *
   * @return for each NAME the header with its content; empty if only compilers of the host have the
   *     content, and then without being asked
   */
  public static Map<String, String> includes() {
    Map<String, String> includes = new LinkedHashMap<>();
    for (String line : read("includes.txt").split("\n")) {
      int space = line.indexOf(' ');
      includes.put(
          space < 0 ? line : line.substring(0, space), space < 0 ? "" : line.substring(space + 1));
    }
    return includes;
  }

  /** The include files with no text, for compilers of the host, which have the content anyway. */
  public static Map<String, String> stubs() {
    Map<String, String> stubs = new LinkedHashMap<>();
    for (String name : includes().keySet()) {
      stubs.put(name, "");
    }
    return stubs;
  }

  private static String read(String resource) {
    try (InputStream in = Dialect.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + resource, e);
    }
  }
}
