// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random kernels write in each form what their Java evaluation says. {@code
 * -Djhal.test.random-kernels=2000} tries more of them, and {@code -Djhal.test.random-first} others.
 */
@NeedsCompiler
class RandomKernelsTest {
  private static final int KERNELS =
      Integer.getInteger(
          "jhal.test.random-kernels", Boolean.getBoolean("jhal.test.long") ? 40 : 10);
  private static final long FIRST = Long.getLong("jhal.test.random-first", 0);

  /** How the note of each kernel begins. */
  private static final Map<String, String> LEVELS =
      Map.of(
          "auto", "divided at its barriers",
          "coroutine", "items are coroutines",
          "fiber", "items have stacks of their own");

  private static String hint(String form, RandomKernel kernel) {
    return "%s in the form %s; again with -Djhal.test.random-first=%s -Djhal.test.random-kernels=1\n%s"
        .formatted(kernel.name(), form, kernel.name().substring(6), kernel.text());
  }

  /** The type of {@code (v)} may be another one where the kernel is divided, so it never is. */
  private static boolean hasOwnType(RandomKernel kernel) {
    return kernel.text().contains("decltype((");
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "coroutine", "fiber"})
  void randomKernelsWriteWhatTheirTreeSays(String form) throws InterruptedException {
    List<RandomKernel> kernels = new ArrayList<>();
    StringBuilder source = new StringBuilder(RandomKernel.ADDITIONS);
    for (int i = 0; i < KERNELS; i++) {
      RandomKernel kernel = new RandomKernel(FIRST + i);
      kernels.add(kernel);
      source.append(kernel.text());
    }
    int others = 0; // in a slower form
    List<String> names = kernels.stream().map(RandomKernel::name).toList();
    try (FormRun run = new FormRun(form, source.toString(), names)) {
      for (RandomKernel kernel : kernels) {
        String note = run.note(kernel.name());
        boolean isAsWanted = note.startsWith(LEVELS.get(form)) || kernel.hasMeanings();
        others += isAsWanted || hasOwnType(kernel) ? 0 : 1;
        assertTrue(
            isAsWanted || note.startsWith("items are coroutines: "),
            () -> note + ": " + hint(form, kernel));
        for (int seed = 0; seed < 4; seed++) {
          int[] input = new Random(seed).ints(FormRun.COUNT, 0, 1000).toArray();
          assertArrayEquals(
              kernel.evaluate(input), run.run(kernel.name(), input), () -> hint(form, kernel));
        }
      }
      assertTrue(4 * others <= KERNELS + 4, "in a slower form: " + others + " of " + KERNELS);
    }
  }
}
