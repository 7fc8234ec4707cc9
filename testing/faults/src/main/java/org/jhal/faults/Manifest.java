// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import com.google.gson.Gson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@link Inputs} and {@link SanitizerRuns} need of a manifest. */
record Manifest(List<Kernel> kernels, List<Variant> variants) {
  record Kernel(
      String name,
      List<Parameter> parameters,
      List<Integer> workgroupSize,
      int dynamicSharedMemory) {
    List<Parameter> buffers() {
      return parameters.stream().filter(Parameter::isBuffer).toList();
    }
  }

  record Parameter(String name, String kind, @Nullable String type, @Nullable String direction) {
    boolean isBuffer() {
      return kind.equals("buffer");
    }

    boolean isRead() {
      return !"out".equals(direction);
    }

    boolean isWritten() {
      return !"in".equals(direction);
    }
  }

  record Variant(String file, @Nullable Map<String, String> entries) {}

  static Manifest of(String text) {
    return new Gson().fromJson(text, Manifest.class);
  }

  Kernel kernel(String name) {
    return kernels.stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
  }
}
