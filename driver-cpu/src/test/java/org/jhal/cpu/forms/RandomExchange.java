// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import java.util.Locale;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.jhal.cpu.forms.RandomKernel.Expression;
import org.jhal.cpu.forms.RandomKernel.Group;
import org.jhal.cpu.forms.RandomKernel.Step;

/**
 * A place in a {@link RandomKernel} where the items of a workgroup meet, and what they exchange.
 */
final class RandomExchange {
  private static final int ITEMS = FormRun.ITEMS;
  private static final int WARP = 32;

  private final Random random;
  private final Expression given;
  private final int to; // the variable that changes
  private final int with; // which item each reads from, as a mask

  /**
   * An exchange.
   *
   * @param given what each item gives
   */
  RandomExchange(Random random, Expression given) {
    this.random = random;
    this.given = given;
    this.to = random.nextInt(RandomKernel.VARIABLES);
    this.with = random.nextInt(ITEMS);
  }

  /** One in which items that have ended may be missing. */
  Step ofThoseLeft() {
    return switch (random.nextInt(6)) {
      case 0 -> reference();
      case 1 -> declarations();
      case 2 -> count();
      case 3 -> choice();
      default -> elements();
    };
  }

  /** One that needs all items of a warp. */
  Step ofAll() {
    return switch (random.nextInt(3)) {
      case 0 -> {
        int mask = with % WARP;
        yield shuffle("__shfl_xor_sync(~0u, %s, " + mask + ")", item -> item ^ mask);
      }
      case 1 -> {
        int by = with % 16;
        yield shuffle(
            "__shfl_down_sync(~0u, %s, " + by + ", 16)",
            item -> item % 16 + by < 16 ? item + by : item);
      }
      default -> ballot();
    };
  }

  /** What each item gives when it comes to a barrier. */
  private int[] given(Group group, boolean[] takesPart) {
    int[] values = new int[ITEMS];
    group.each(takesPart, item -> values[item] = given.value().of(group, item));
    return values;
  }

  /** Each item writes its element, and reads that of another one behind a barrier. */
  private Step elements() {
    String text =
        "  shared[item] = %s;\n  __syncthreads();\n"
            + "  v%d += shared[item ^ %d];\n  __syncthreads();\n";
    return new Step(
        String.format(Locale.ROOT, text, given.text(), to, with),
        (group, takesPart) -> {
          int[] values = given(group, takesPart);
          group.each(takesPart, item -> group.shared[item] = values[item]);
          group.each(takesPart, item -> group.variables[item][to] += group.shared[item ^ with]);
        });
  }

  /** What a reference to shared memory names is read before and behind a barrier. */
  private Step reference() {
    String text =
        """
          {
            shared[item] = %s;
            __syncthreads();
            const int& other = shared[item ^ %d];
            int before = other + 1;
            __syncthreads();
            shared[item] = before * 3;
            __syncthreads();
            v%d ^= before - other;
            __syncthreads();
          }
        """;
    return new Step(
        String.format(Locale.ROOT, text, given.text(), with, to),
        (group, takesPart) -> {
          int[] values = given(group, takesPart);
          group.each(takesPart, item -> group.shared[item] = values[item]);
          int[] before = new int[ITEMS];
          group.each(takesPart, item -> before[item] = group.shared[item ^ with] + 1);
          group.each(takesPart, item -> group.shared[item] = before[item] * 3);
          group.each(
              takesPart,
              item -> group.variables[item][to] ^= before[item] - group.shared[item ^ with]);
        });
  }

  /** Variables of the items and of the workgroup are declared in one list. */
  private Step declarations() {
    String text =
        """
          {
            int own = %s, half = blockDim.x / 2 + %d, sum = own * half;
            __syncthreads();
            v%d += sum ^ half;
          }
        """;
    int half = ITEMS / 2 + with;
    return new Step(
        String.format(Locale.ROOT, text, given.text(), with, to),
        (group, takesPart) -> {
          int[] values = given(group, takesPart);
          group.each(takesPart, item -> group.variables[item][to] += values[item] * half ^ half);
        });
  }

  private Step count() {
    return new Step(
        "  v%s += __syncthreads_count(%s & 1);\n".formatted(to, given.text()),
        (group, takesPart) -> {
          int[] counted = new int[1];
          int[] values = given(group, takesPart);
          group.each(takesPart, item -> counted[0] += values[item] & 1);
          group.each(takesPart, item -> group.variables[item][to] += counted[0]);
        });
  }

  private Step choice() {
    boolean isOr = random.nextBoolean();
    String text = "  if (__syncthreads_%s((%s & 31) > %d)) {\n    v%d ^= %d;\n  }\n";
    int most = isOr ? 30 : 0;
    return new Step(
        String.format(Locale.ROOT, text, isOr ? "or" : "and", given.text(), most, to, with),
        (group, takesPart) -> {
          boolean[] is = {!isOr};
          int[] values = given(group, takesPart);
          group.each(
              takesPart,
              item -> {
                boolean does = (values[item] & 31) > most;
                is[0] = isOr ? is[0] || does : is[0] && does;
              });
          group.each(takesPart, item -> group.variables[item][to] ^= is[0] ? with : 0);
        });
  }

  private Step shuffle(String call, IntUnaryOperator from) {
    return new Step(
        "  v%s += %s;\n".formatted(to, String.format(Locale.ROOT, call, given.text())),
        (group, takesPart) -> {
          int[] values = given(group, takesPart);
          group.each(takesPart, item -> group.variables[item][to] += values[from.applyAsInt(item)]);
        });
  }

  private Step ballot() {
    return new Step(
        "  v%s ^= (int)__ballot_sync(~0u, %s & 4);\n".formatted(to, given.text()),
        (group, takesPart) -> {
          int[] values = given(group, takesPart);
          int[] bits = new int[ITEMS / WARP];
          group.each(takesPart, item -> bits[item / WARP] |= (values[item] >> 2 & 1) << item);
          group.each(takesPart, item -> group.variables[item][to] ^= bits[item / WARP]);
        });
  }
}
