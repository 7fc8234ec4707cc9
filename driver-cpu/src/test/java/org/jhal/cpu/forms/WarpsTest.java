// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lanes exchange is the same in each form, also if warps are not full. */
@NeedsCompiler
class WarpsTest {
  private static String source() throws IOException {
    try (InputStream in = WarpsTest.class.getResourceAsStream("warps.cpp")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 40, 64, 96})
  void allFormsGiveTheSame(int items) throws Exception {
    String source = source();
    List<String> kernels =
        Pattern.compile("^KERNEL\\((\\w+)\\)", Pattern.MULTILINE)
            .matcher(source)
            .results()
            .map(found -> found.group(1))
            .toList();
    var entries = kernels.stream().collect(Collectors.toMap(name -> name, name -> name));
    try (FormRun divided = new FormRun("fission", source, entries, items, FormRun.MOST);
        FormRun stacked = new FormRun("fiber", source, entries, items)) {
      for (String kernel : kernels) {
        assertEquals("divided at its barriers", divided.note(kernel), kernel);
        for (int seed = 0; seed < 5; seed++) {
          int[] input = new Random(seed).ints(FormRun.COUNT, 0, 1000).toArray();
          assertArrayEquals(
              stacked.run(kernel, input),
              divided.run(kernel, input),
              kernel + " of " + items + " items, seed " + seed);
        }
      }
    }
  }
}
