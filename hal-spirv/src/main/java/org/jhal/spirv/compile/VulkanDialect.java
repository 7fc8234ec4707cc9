// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.kernels.dialect.Dialect;

/** The headers that make C++ the language of kernels, for Clang's target spirv64. */
final class VulkanDialect {
  /** The header that is included before a source. */
  static final String FIRST = "hal_vulkan.h";

  private static final List<String> OWN = List.of(FIRST, "hal_vulkan_atomic.h", "hal_libm.h");

  private VulkanDialect() {}

  /** The headers by name, with empty ones for those that a source may include. */
  static Map<String, String> headers() {
    Map<String, String> headers = new TreeMap<>(Dialect.stubs());
    for (String file : Dialect.files()) {
      headers.put(file, Dialect.text(file));
    }
    for (String file : OWN) {
      headers.put(file, read(file));
    }
    return headers;
  }

  private static String read(String file) {
    try (InputStream in =
        VulkanDialect.class.getResourceAsStream("/org/jhal/spirv/dialect/" + file)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + file, e);
    }
  }
}
