// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;

/** Kernels give the same in each form in which their work items may be run. */
@NeedsCompiler
class MeetingsTest {
  private static final List<String> KERNELS =
      List.of(
          "reversed",
          "carried",
          "early_end",
          "leaving",
          "counted",
          "branched",
          "summed",
          "shuffled",
          "half_a_warp",
          "grouped",
          "scanned",
          "nested",
          "with_lambdas",
          "structured");

  private static String source() throws IOException {
    try (InputStream in = MeetingsTest.class.getResourceAsStream("meetings.cpp")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Those that meet in functions need stacks. */
  private static boolean isCoroutine(String kernel, String note) {
    boolean isCoroutine = !Set.of("summed", "grouped", "nested").contains(kernel);
    return note.startsWith(isCoroutine ? "items are coroutines" : "items have stacks of their own");
  }

  @Test
  void allFormsGiveTheSame() throws Exception {
    String source = source();
    try (FormRun divided = new FormRun("fission", source, KERNELS);
        FormRun stopping = new FormRun("coroutine", source, KERNELS);
        FormRun stacked = new FormRun("fiber", source, KERNELS)) {
      for (String kernel : KERNELS) {
        assertEquals("divided at its barriers", divided.note(kernel), kernel);
        assertTrue(
            isCoroutine(kernel, stopping.note(kernel)), kernel + ": " + stopping.note(kernel));
        for (int seed = 0; seed < 10; seed++) {
          int[] input = new Random(seed).ints(FormRun.COUNT, 0, 1000).toArray();
          int[] wanted = stacked.run(kernel, input);
          String what = kernel + " of seed " + seed;
          assertArrayEquals(wanted, divided.run(kernel, input), "divided: " + what);
          assertArrayEquals(wanted, stopping.run(kernel, input), "as coroutines: " + what);
        }
      }
    }
  }

  @Test
  void reversedReversesEachWorkgroup() throws Exception {
    int[] input = new Random(1).ints(FormRun.COUNT, 0, 1000).toArray();
    int[] wanted = new int[FormRun.COUNT];
    for (int i = 0; i < wanted.length; i++) {
      int group = i / FormRun.ITEMS * FormRun.ITEMS;
      int other = FormRun.ITEMS - 1 - i % FormRun.ITEMS;
      wanted[i] = input[group + other] * 3 + other;
    }
    try (FormRun run = new FormRun("auto", source(), KERNELS)) {
      assertArrayEquals(wanted, run.run("reversed", input));
    }
  }
}
