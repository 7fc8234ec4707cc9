// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import com.google.gson.Gson;
import java.util.List;

/** What {@link Inputs} needs of a manifest. */
record Manifest(List<Kernel> kernels) {
  record Kernel(String name, List<Buffer> parameters) {}

  record Buffer(String name, String kind, String direction) {
    boolean isRead() {
      return !direction.equals("out");
    }

    boolean isWritten() {
      return !direction.equals("in");
    }
  }

  static List<Buffer> buffersOf(String text, String kernel) {
    return new Gson()
        .fromJson(text, Manifest.class).kernels().stream()
            .filter(k -> k.name().equals(kernel))
            .flatMap(k -> k.parameters().stream())
            .filter(p -> p.kind().equals("buffer"))
            .toList();
  }
}
