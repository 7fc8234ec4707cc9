// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jhal.cpu.forms.RandomKernel.Step;

/**
 * A random loop of a {@link RandomKernel} that all items can go through beside each other: as often
 * for each, or from an element to the one that lies as many further on as the workgroup has items,
 * up to a limit that most often lets some items go round once more than the rest.
 */
final class RandomWideLoop {
  private static final int ITEMS = FormRun.ITEMS;
  private static final int VARIABLES = RandomKernel.VARIABLES;
  private static final int FLOATS = RandomKernel.FLOATS;

  private final Random random;
  private final int counter;
  private int locals; // that have been declared

  /**
   * A loop.
   *
   * @param counter the number of its counter
   */
  RandomWideLoop(Random random, int counter) {
    this.random = random;
    this.counter = counter;
  }

  Step step() {
    boolean isStrided = random.nextBoolean();
    int limit = isStrided ? random.nextInt(250) : random.nextInt(30) + 10;
    boolean isSeen = random.nextBoolean();
    String form =
        isStrided
            ? isSeen
                ? "  for (unsigned i%1$d = item; i%1$d < %2$d; i%1$d += 64) {\n%3$s  }\n"
                : "  for (int i%1$d = threadIdx.x + 2; i%1$d <= %2$d + (int)blockIdx.x; "
                    + "i%1$d += blockDim.x) {\n%3$s  }\n"
            : isSeen
                ? "  for (int i%1$d = 0; i%1$d < %2$d; i%1$d++) {\n%3$s  }\n"
                : "  for (unsigned i%1$d = 0; i%1$d < %2$d + blockIdx.x; i%1$d += 1) {\n%3$s  }\n";
    List<Step> body = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      body.add(change());
    }
    StringBuilder text = new StringBuilder();
    body.forEach(step -> text.append(step.text()));
    return new Step(
        String.format(Locale.ROOT, form, counter, limit, text),
        (group, takesPart) -> {
          int end = limit + (isSeen ? 0 : group.first / ITEMS + (isStrided ? 1 : 0));
          for (int item = 0; item < ITEMS; item++) {
            boolean[] only = new boolean[ITEMS];
            only[item] = takesPart[item];
            int i = isStrided ? item + (isSeen ? 0 : 2) : 0;
            for (; i < end; i += isStrided ? ITEMS : 1) {
              group.counters[item][counter] = i;
              body.forEach(step -> step.effect().run(group, only));
            }
          }
        });
  }

  /** Adds what neighbours have side by side. */
  private Step change() {
    int to = random.nextInt(VARIABLES);
    int from = random.nextInt(VARIABLES);
    int factor = random.nextInt(9) - 4;
    if (random.nextInt(3) == 0) {
      return new Step(
          "    f%1$s = f%1$s * 0.5f + (float)in[i%2$s];\n".formatted(to % FLOATS, counter),
          (group, takesPart) ->
              group.each(
                  takesPart,
                  item ->
                      group.floats[item][to % FLOATS] =
                          group.floats[item][to % FLOATS] * 0.5f
                              + group.input[group.counters[item][counter]]));
    }
    return new Step(
        "    int w%3$s = in[i%2$s] + shared[item];\n    v%1$s += v%4$s * (%5$s) ^ w%3$s;\n"
            .formatted(to, counter, ++locals, from, factor),
        (group, takesPart) ->
            group.each(
                takesPart,
                item -> {
                  int[] v = group.variables[item];
                  int w = group.input[group.counters[item][counter]] + group.shared[item];
                  v[to] += v[from] * factor ^ w;
                }));
  }
}
