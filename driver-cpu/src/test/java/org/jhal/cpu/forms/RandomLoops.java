// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A random kernel with loops that take its items different numbers of steps: nested ones, with
 * {@code break} and {@code continue}, in branches and one behind the other, of variables that are
 * read behind them or not. It is written as C++ and evaluated in Java, item by item, from the same
 * tree.
 */
final class RandomLoops {
  private static final int INTEGERS = 4; // n0, n1, ...
  private static final int FLOATS = 2; // f0, f1, ...

  /** An item: its variables, and how it goes on. */
  private static final class Item {
    private final int[] integers = new int[INTEGERS];
    private final float[] floats = new float[FLOATS];
    private final int[] counters = new int[16];
    private boolean isLeaving; // the innermost loop
    private boolean isGoingOn; // with its next step

    private boolean hasJumped() {
      return isLeaving || isGoingOn;
    }
  }

  private interface Effect {
    void run(Item item);
  }

  private interface Value {
    int of(Item item);
  }

  private interface FloatValue {
    float of(Item item);
  }

  private record Statement(String text, Effect effect) {}

  private record Expression(String text, Value value) {}

  private record FloatExpression(String text, FloatValue value) {}

  private final Random random;
  private final String name;
  private final StringBuilder functions = new StringBuilder();
  private final Statement body;
  private final int read; // the variable that is written at the end
  private int loops;
  private int depth; // of loops around what is being made

  RandomLoops(long seed) {
    random = new Random(seed);
    name = "loops" + seed;
    List<Statement> all = new ArrayList<>();
    all.add(loop(2));
    for (int i = random.nextInt(3); i > 0; i--) {
      all.add(random.nextBoolean() ? loop(2) : branch(2));
    }
    body = sequence(all);
    read = random.nextInt(INTEGERS);
  }

  String name() {
    return name;
  }

  String text() {
    StringBuilder text = new StringBuilder(functions);
    text.append("extern \"C\" __global__ void %s(const int* in, int* out) {\n".formatted(name));
    text.append("  int at = blockIdx.x * blockDim.x + threadIdx.x;\n");
    text.append("  if (at % 11 == 7) return;\n");
    text.append("  int n0 = in[at], n1 = in[at] >> 3, n2 = 1, n3 = at & 15;\n");
    text.append("  float f0 = n0 * 0.25f, f1 = 1.5f;\n");
    text.append(body.text);
    text.append("  out[at] = n%s + (f0 == f0 ? __float_as_int(f0) : 1);\n}\n".formatted(read));
    return text.toString();
  }

  /** What it writes over -7 everywhere. */
  int[] evaluate(int[] input) {
    int[] output = new int[input.length];
    for (int at = 0; at < input.length; at++) {
      output[at] = at % 11 == 7 ? -7 : evaluate(input, at);
    }
    return output;
  }

  private int evaluate(int[] input, int at) {
    Item item = new Item();
    item.integers[0] = input[at];
    item.integers[1] = input[at] >> 3;
    item.integers[2] = 1;
    item.integers[3] = at & 15;
    item.floats[0] = input[at] * 0.25f;
    item.floats[1] = 1.5f;
    body.effect.run(item);
    float f = item.floats[0];
    return item.integers[read] + (Float.isNaN(f) ? 1 : Float.floatToRawIntBits(f));
  }

  // Statements.

  private static Statement sequence(List<Statement> all) {
    StringBuilder text = new StringBuilder();
    all.forEach(each -> text.append(each.text));
    return new Statement(
        text.toString(),
        item -> {
          for (Statement each : all) {
            if (!item.hasJumped()) {
              each.effect.run(item);
            }
          }
        });
  }

  private Statement block(int levels) {
    List<Statement> all = new ArrayList<>();
    for (int i = random.nextInt(3) + 1; i > 0; i--) {
      all.add(statement(levels));
    }
    return sequence(all);
  }

  private Statement statement(int levels) {
    return switch (random.nextInt(levels > 0 ? 9 : depth > 0 ? 6 : 5)) {
      case 0, 1, 2 -> assignment();
      case 3, 4 -> floatAssignment();
      case 5 -> depth > 0 ? jump() : assignment();
      case 6, 7 -> branch(levels);
      default -> loop(levels);
    };
  }

  private Statement assignment() {
    int to = random.nextInt(INTEGERS);
    Expression value = expression(2);
    return switch (random.nextInt(4)) {
      case 0 -> new Statement("  n%s++;\n".formatted(to), item -> item.integers[to]++);
      case 1 ->
          new Statement(
              "  n%s ^= %s;\n".formatted(to, value.text),
              item -> item.integers[to] ^= value.value.of(item));
      default ->
          new Statement(
              "  n%s = %s;\n".formatted(to, value.text),
              item -> item.integers[to] = value.value.of(item));
    };
  }

  private Statement floatAssignment() {
    int to = random.nextInt(FLOATS);
    FloatExpression value = floats(2);
    return new Statement(
        "  f%s = %s;\n".formatted(to, value.text), item -> item.floats[to] = value.value.of(item));
  }

  /** Some items leave the loop, or this step of it. */
  private Statement jump() {
    boolean leaves = random.nextBoolean();
    Expression condition = condition(1);
    return new Statement(
        "  if (%s) { n2 += 3; %s; }\n".formatted(condition.text, leaves ? "break" : "continue"),
        item -> {
          if (condition.value.of(item) != 0) {
            item.integers[2] += 3;
            item.isLeaving = leaves;
            item.isGoingOn = !leaves;
          }
        });
  }

  private Statement branch(int levels) {
    Expression condition = condition(2);
    Statement then = block(levels - 1);
    Statement otherwise = block(levels - 1);
    boolean hasOther = random.nextBoolean();
    String rest = hasOther ? " else {\n" + otherwise.text + "  }\n" : "\n";
    return new Statement(
        "  if (%s) {\n%s  }%s".formatted(condition.text, then.text, rest),
        item -> {
          if (condition.value.of(item) != 0) {
            then.effect.run(item);
          } else if (hasOther) {
            otherwise.effect.run(item);
          }
        });
  }

  /** A loop with at most 13 steps, of which a condition may leave others out. */
  private Statement loop(int levels) {
    int counter = loops++;
    int most = random.nextInt(12) + 2;
    Expression condition = condition(2);
    int kind = counter > 14 ? 0 : random.nextInt(4);
    depth++;
    Statement inside = counter > 13 ? assignment() : block(levels - 1);
    depth--;
    String form =
        switch (kind) {
          case 0 ->
              "  for (int i%1$d = 0; i%1$d < %2$d; i%1$d++) {\n%4$s    if (%3$s) break;\n  }\n";
          case 1 -> "  for (int i%1$d = 0; i%1$d < %2$d && (%3$s); i%1$d++) {\n%4$s  }\n";
          case 2 -> "  { int i%1$d = 0; while (i%1$d++ < %2$d && (%3$s)) {\n%4$s  } }\n";
          default ->
              "  { int i%1$d = 0; do {\n    i%1$d++;\n%4$s  } while (i%1$d < %2$d && (%3$s)); }\n";
        };
    if (kind == 2) { // a step in a condition is none of what is known
      form =
          "  { int i%1$d = -1; for (;;) { i%1$d++; if (!(i%1$d < %2$d && (%3$s))) break;\n%4$s  } }\n";
    }
    String text = String.format(Locale.ROOT, form, counter, most, condition.text, inside.text);
    return new Statement(
        text, item -> run(item, counter, most, kind, condition.value, inside.effect));
  }

  private static void run(
      Item item, int counter, int most, int kind, Value condition, Effect inside) {
    boolean isConditionFirst = kind == 1 || kind == 2;
    for (int i = 0; ; i++) {
      item.counters[counter] = kind == 3 ? i + 1 : i;
      if (i >= most && kind != 3) {
        return;
      }
      if (isConditionFirst && condition.of(item) == 0) {
        return;
      }
      inside.run(item);
      boolean goesOn = item.isGoingOn;
      item.isGoingOn = false;
      if (item.isLeaving) {
        item.isLeaving = false;
        return;
      }
      if (kind == 0 && !goesOn && condition.of(item) != 0) {
        return;
      }
      if (kind == 3 && (i + 1 >= most || condition.of(item) == 0)) {
        return;
      }
    }
  }

  // Expressions.

  private Expression condition(int levels) {
    Expression a = expression(levels - 1);
    Expression b = expression(levels - 1);
    if (levels > 1 && random.nextInt(3) == 0) {
      Expression c = condition(1);
      return random.nextBoolean()
          ? new Expression(
              "(%s < %s && %s)".formatted(a.text, b.text, c.text),
              item -> a.value.of(item) < b.value.of(item) && c.value.of(item) != 0 ? 1 : 0)
          : new Expression(
              "(%s == %s || !(%s))".formatted(a.text, b.text, c.text),
              item -> a.value.of(item) == b.value.of(item) || c.value.of(item) == 0 ? 1 : 0);
    }
    if (random.nextInt(4) == 0) {
      FloatExpression f = floats(1);
      return new Expression(
          "%s < 40.5f".formatted(f.text), item -> f.value.of(item) < 40.5f ? 1 : 0);
    }
    int mask = (1 << random.nextInt(4)) - 1;
    return new Expression(
        "(%s & %s) %s 0".formatted(a.text, mask | 1, mask > 2 ? "!=" : "=="),
        item -> ((a.value.of(item) & (mask | 1)) != 0) == mask > 2 ? 1 : 0);
  }

  private Expression expression(int levels) {
    if (levels <= 0 || random.nextInt(4) == 0) {
      int which = random.nextInt(INTEGERS + 1);
      if (which == INTEGERS) {
        int number = random.nextInt(100);
        return new Expression("" + number, item -> number);
      }
      return new Expression("n" + which, item -> item.integers[which]);
    }
    Expression a = expression(levels - 1);
    Expression b = expression(levels - 1);
    return switch (random.nextInt(9)) {
      case 0 ->
          new Expression("(%s + %s)".formatted(a.text, b.text), i -> a.value.of(i) + b.value.of(i));
      case 1 ->
          new Expression("(%s - %s)".formatted(a.text, b.text), i -> a.value.of(i) - b.value.of(i));
      case 2 ->
          new Expression("%s * %s".formatted(in(a), in(b)), i -> a.value.of(i) * b.value.of(i));
      case 3 ->
          new Expression("(%s & %s)".formatted(in(a), in(b)), i -> a.value.of(i) & b.value.of(i));
      case 4 -> new Expression("(%s >> 2)".formatted(in(a)), i -> a.value.of(i) >> 2);
      case 5 -> new Expression("(%s / 3)".formatted(in(a)), i -> a.value.of(i) / 3);
      case 6 ->
          new Expression("(int)((unsigned)%s >> 3)".formatted(in(a)), i -> a.value.of(i) >>> 3);
      case 7 ->
          new Expression(
              "min(%s, %s)".formatted(a.text, b.text), i -> Math.min(a.value.of(i), b.value.of(i)));
      default ->
          new Expression(
              "(%s > %s ? %s : -%s)".formatted(a.text, b.text, b.text, in(a)),
              i -> a.value.of(i) > b.value.of(i) ? b.value.of(i) : -a.value.of(i));
    };
  }

  private static String in(Expression expression) {
    return "(" + expression.text + ")";
  }

  private FloatExpression floats(int levels) {
    if (levels <= 0) {
      int which = random.nextInt(FLOATS);
      return random.nextBoolean()
          ? new FloatExpression("f" + which, item -> item.floats[which])
          : new FloatExpression("0.75f", item -> 0.75f);
    }
    FloatExpression a = floats(levels - 1);
    FloatExpression b = floats(levels - 1);
    return switch (random.nextInt(4)) {
      case 0 ->
          new FloatExpression(
              "(%s + %s)".formatted(a.text, b.text), i -> a.value.of(i) + b.value.of(i));
      case 1 ->
          new FloatExpression(
              "(%s * %s)".formatted(a.text, b.text), i -> a.value.of(i) * b.value.of(i));
      case 2 -> {
        Expression n = expression(0);
        yield new FloatExpression(
            "(%s + (%s & 255))".formatted(a.text, n.text),
            i -> a.value.of(i) + (n.value.of(i) & 255));
      }
      default ->
          new FloatExpression(
              "fabsf(%s - %s)".formatted(a.text, b.text),
              i -> Math.abs(a.value.of(i) - b.value.of(i)));
    };
  }
}
