// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The items of which kernels share calls; what these write is looked at in PicturesTest. */
class SharedCallsTest {
  private static final String PLACE =
      "int x = blockIdx.x * blockDim.x + threadIdx.x;"
          + " int y = blockIdx.y * blockDim.y + threadIdx.y;";

  @Test
  void itemsShareTheCallsThatAllOfThemMake() throws Exception {
    String all;
    try (InputStream in =
        SharedCallsTest.class.getResourceAsStream("/org/jhal/cpu/forms/pictures.cpp")) {
      all = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
    String[] parts = all.split("//@ ");
    Map<String, String> wanted = new LinkedHashMap<>();
    Map<String, String> found = new LinkedHashMap<>();
    for (String part : List.of(parts).subList(1, parts.length)) {
      String[] head = part.lines().findFirst().orElseThrow().split(" ");
      String source =
          part.substring(part.indexOf('\n') + 1)
              .replace(
                  "KERNEL(" + head[0] + ")",
                  "__global__ void "
                      + head[0]
                      + "(const unsigned char* in, int* out, int width, int height)")
              .replace("PLACE", PLACE)
              .replace("AT =", "out[y * width + x] =");
      String text = Translations.of(source, head[0], 16, 4);
      wanted.put(head[0], head[1]);
      found.put(head[0], text.contains("hal_row_table<") ? "shared" : "plain");
    }
    assertEquals(wanted, found);
  }
}
