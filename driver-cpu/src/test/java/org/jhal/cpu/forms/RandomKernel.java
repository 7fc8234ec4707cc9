// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import java.util.function.IntConsumer;

/**
 * A random kernel of integers and floats: variables, arithmetic, branches, loops, functions that
 * are called, places where items meet (see {@link RandomExchange}), and early ends. It is written
 * as C++ and evaluated in Java from the same tree; both compute {@code + - *} of floats as IEEE 754
 * says. No two items access an element of shared memory between two barriers if one of them writes
 * it, so the result is defined.
 */
final class RandomKernel {
  private static final int ITEMS = FormRun.ITEMS;
  static final int VARIABLES = 4;
  static final int FLOATS = 2;

  /** All work items of a workgroup. */
  static final class Group {
    final int[] input;
    final int first; // of its items among those of the grid
    final int[][] variables = new int[ITEMS][VARIABLES];
    final float[][] floats = new float[ITEMS][FLOATS];
    final int[][] counters = new int[ITEMS][8];
    final int[] shared = new int[ITEMS];
    final boolean[] hasEnded = new boolean[ITEMS];

    Group(int[] input, int first) {
      this.input = input;
      this.first = first;
    }

    /** What each of these items does, except for those that have ended. */
    void each(boolean[] takesPart, IntConsumer does) {
      for (int item = 0; item < ITEMS; item++) {
        if (takesPart[item] && !hasEnded[item]) {
          does.accept(item);
        }
      }
    }
  }

  interface Value {
    int of(Group group, int item);
  }

  private interface FloatValue {
    float of(Group group, int item);
  }

  private record FloatExpression(String text, FloatValue value) {}

  record Expression(String text, Value value) {}

  /** What the items for which {@code takesPart} is true do. */
  interface Effect {
    void run(Group group, boolean[] takesPart);
  }

  record Step(String text, Effect effect) {}

  /** What random kernels add with. */
  static final String ADDITIONS =
      """
      using Hidden = int&;
      struct Kept { int& r; };
      struct Adder {
        int by;
        __device__ void operator>>(int& x) const { x += by; }
        __device__ void operator>>(const int&) const {}
        template <class T> __device__ void operator()(T& x) const { x += by; }
      };
      static __device__ void add_hidden(Hidden x, int y) { x += y; }
      static __device__ void add_constant(const int& x, int y) { const_cast<int&>(x) += y; }
      template <class T> __device__ void add_as(T x, int y) { x += y; }
      static __device__ void add_by_constness(Hidden x, int y) { x += y; }
      static __device__ void add_by_constness(const int&, int) {}
      template <class T> __device__ T* address_of(T& x) { return &x; }
      struct Asked { int v; };
      static __device__ int operator+(Asked a, int b) { return a.v + b + (int)threadIdx.x; }
      struct Outside {
        int v;
        __device__ int minus(int x) const;
      };
      __device__ inline int Outside::minus(int x) const { return v - x - (int)threadIdx.x; }
      static __device__ int stepped(int x) { return x + (int)threadIdx.x; }
      namespace hidden {
      static __device__ int stepped(long long x) { return (int)x * 3 + (int)threadIdx.x; }
      static __device__ int tripled(int x) { return stepped(x); }
      }  // namespace hidden
      template <class F> __device__ int applied(const F& stepped, int x) { return stepped(x); }
      """;

  private final Random random;
  private final String name;
  private final StringBuilder functions = new StringBuilder();
  private final List<IntBinaryOperator> called = new ArrayList<>();
  private final boolean hasMeanings; // names that mean different things, and unseen questions
  private final boolean mayEnd; // items before others; otherwise they exchange values in warps
  private int loops; // that are open
  private final Step body;

  RandomKernel(long seed) {
    random = new Random(seed);
    name = "random" + seed;
    for (int i = 0; i < 2; i++) {
      function(i);
    }
    mayEnd = random.nextBoolean();
    hasMeanings = random.nextInt(6) == 0;
    body = block(3, true);
  }

  String name() {
    return name;
  }

  /** Whether it may have code that asks which item it is without being told. */
  boolean hasMeanings() {
    return hasMeanings;
  }

  String text() {
    StringBuilder text = new StringBuilder(functions);
    text.append("extern \"C\" __global__ void ")
        .append(name)
        .append("(const int* in, int* out) {\n");
    text.append("  __shared__ int shared[64];\n  int item = threadIdx.x;\n");
    text.append("  int at = blockIdx.x * blockDim.x + threadIdx.x;\n");
    text.append("  int v0 = in[at], v1 = item * 2 + 1, v2 = 5, v3 = in[at] + 3;\n");
    for (int i = 0; i < FLOATS; i++) {
      text.append("  float f%s = in[at] * 0.37f + %s;\n".formatted(i, i));
    }
    text.append("  shared[item] = in[at];\n  __syncthreads();\n");
    text.append(body.text);
    text.append("  int bits = f0 == f0 ? __float_as_int(f0) : 1;\n"); // a NaN has many forms
    text.append("  bits ^= f1 == f1 ? __float_as_int(f1) : 2;\n");
    text.append("  out[at] = v0 + 3 * v1 + 5 * v2 + 7 * v3 + bits;\n}\n");
    return text.toString();
  }

  /** What it writes. */
  int[] evaluate(int[] input) {
    int[] output = new int[input.length];
    for (int first = 0; first < input.length; first += ITEMS) {
      Group group = new Group(input, first);
      boolean[] all = new boolean[ITEMS];
      for (int item = 0; item < ITEMS; item++) {
        all[item] = true;
        group.shared[item] = input[first + item];
        int read = input[first + item];
        group.variables[item] = new int[] {read, item * 2 + 1, 5, read + 3};
        for (int i = 0; i < FLOATS; i++) {
          group.floats[item][i] = input[first + item] * 0.37f + i;
        }
      }
      body.effect.run(group, all);
      for (int item = 0; item < ITEMS; item++) {
        int[] v = group.variables[item];
        int bits = bits(group.floats[item][0], 1) ^ bits(group.floats[item][1], 2);
        output[first + item] =
            group.hasEnded[item] ? -1 : v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3] + bits;
      }
    }
    return output;
  }

  private static int bits(float value, int ofNan) {
    return Float.isNaN(value) ? ofNan : Float.floatToRawIntBits(value);
  }

  private void function(int index) {
    int a = random.nextInt(9) + 1;
    int b = random.nextInt(9);
    boolean branches = random.nextBoolean();
    functions.append(
        "static __device__ int %s_f%s(int x, int y) {\n".formatted(name, index)
            + (branches ? "  if (x > y) return x - %s;\n".formatted(b) : "")
            + "  return x * %s + (y ^ %s);\n}\n".formatted(a, b));
    called.add((x, y) -> branches && x > y ? x - b : x * a + (y ^ b));
  }

  // Expressions.

  private Expression expression(int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return leaf();
    }
    Expression x = expression(depth - 1);
    Expression y = expression(depth - 1);
    if (hasMeanings && random.nextInt(4) == 0) {
      return asking(x, y);
    }
    return switch (random.nextInt(8)) {
      case 0 -> both(x, "+", y, (a, b) -> a + b);
      case 1 -> both(x, "-", y, (a, b) -> a - b);
      case 2 -> both(x, "*", y, (a, b) -> a * b);
      case 3 -> both(x, "&", y, (a, b) -> a & b);
      case 4 -> both(x, "^", y, (a, b) -> a ^ b);
      case 5 -> {
        int index = random.nextInt(called.size());
        IntBinaryOperator function = called.get(index);
        yield new Expression(
            "%s_f%s(%s, %s)".formatted(name, index, x.text, y.text),
            (group, item) -> function.applyAsInt(x.value.of(group, item), y.value.of(group, item)));
      }
      case 6 ->
          new Expression(
              "[=](int x_) { if (x_ > %1$s) return x_ - item; return x_ ^ %1$s; }(%2$s)"
                  .formatted(y.text, x.text),
              (group, item) -> {
                int a = x.value.of(group, item);
                int b = y.value.of(group, item);
                return a > b ? a - item : a ^ b;
              });
      default -> {
        Expression z = leaf();
        yield new Expression(
            "(%s < %s ? %s : %s)".formatted(x.text, y.text, z.text, x.text),
            (group, item) ->
                x.value.of(group, item) < y.value.of(group, item)
                    ? z.value.of(group, item)
                    : x.value.of(group, item));
      }
    };
  }

  /** An expression that asks which item it is where no name says so, or by one of two functions. */
  private Expression asking(Expression x, Expression y) {
    return switch (random.nextInt(4)) {
      case 0 ->
          new Expression(
              "(Asked{%s} + %s)".formatted(x.text, y.text),
              (group, item) -> x.value.of(group, item) + y.value.of(group, item) + item);
      case 1 ->
          new Expression(
              "Outside{%s}.minus(%s)".formatted(x.text, y.text),
              (group, item) -> x.value.of(group, item) - y.value.of(group, item) - item);
      case 2 ->
          new Expression(
              "(stepped(%s) ^ hidden::tripled(%s))".formatted(x.text, y.text),
              (group, item) ->
                  (x.value.of(group, item) + item) ^ (y.value.of(group, item) * 3 + item));
      default ->
          new Expression(
              "applied([=](int x_) { return x_ * 5; }, stepped(%s))".formatted(x.text),
              (group, item) -> (x.value.of(group, item) + item) * 5);
    };
  }

  private static Expression both(Expression x, String mark, Expression y, IntBinaryOperator of) {
    return new Expression(
        "(%s %s %s)".formatted(x.text, mark, y.text),
        (group, item) -> of.applyAsInt(x.value.of(group, item), y.value.of(group, item)));
  }

  private Expression leaf() {
    switch (random.nextInt(loops > 0 ? 6 : 5)) {
      case 0 -> {
        int number = random.nextInt(200) - 100;
        return new Expression("(" + number + ")", (group, item) -> number);
      }
      case 1 -> {
        return new Expression("item", (group, item) -> item);
      }
      case 2 -> {
        return new Expression("in[at]", (group, item) -> group.input[group.first + item]);
      }
      case 3 -> {
        int index = random.nextInt(VARIABLES);
        return new Expression("v" + index, (group, item) -> group.variables[item][index]);
      }
      case 4 -> {
        FloatExpression x = floats(1);
        FloatExpression y = floats(0);
        return new Expression(
            "(%s < %s ? 1 : 0)".formatted(x.text, y.text),
            (group, item) -> x.value.of(group, item) < y.value.of(group, item) ? 1 : 0);
      }
      default -> {
        int index = random.nextInt(loops);
        return new Expression("i" + index, (group, item) -> group.counters[item][index]);
      }
    }
  }

  private FloatExpression floats(int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      int index = random.nextInt(FLOATS);
      return switch (random.nextInt(3)) {
        case 0 -> new FloatExpression("f" + index, (group, item) -> group.floats[item][index]);
        case 1 -> {
          float number = random.nextInt(64) * 0.125f;
          yield new FloatExpression(number + "f", (group, item) -> number);
        }
        default ->
            new FloatExpression(
                "(float)in[at]", (group, item) -> (float) group.input[group.first + item]);
      };
    }
    FloatExpression x = floats(depth - 1);
    FloatExpression y = floats(depth - 1);
    String mark = List.of("+", "-", "*").get(random.nextInt(3));
    return new FloatExpression(
        "(%s %s %s)".formatted(x.text, mark, y.text),
        (group, item) -> {
          float a = x.value.of(group, item);
          float b = y.value.of(group, item);
          return mark.equals("+") ? a + b : mark.equals("-") ? a - b : a * b;
        });
  }

  // Statements.

  private Step block(int depth, boolean mayMeet) {
    List<Step> steps = new ArrayList<>();
    for (int i = random.nextInt(4) + 2; i > 0; i--) {
      steps.add(step(depth, mayMeet));
    }
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.append(step.text));
    return new Step(
        text.toString(),
        (group, takesPart) -> steps.forEach(step -> step.effect.run(group, takesPart)));
  }

  private Step step(int depth, boolean mayMeet) {
    int kind = random.nextInt(depth == 0 ? 3 : mayMeet ? 10 : 7);
    return switch (kind) {
      case 0, 1 -> assignment();
      case 2 -> floatAssignment();
      case 3 -> branch(depth, mayMeet);
      case 4, 5 -> loop(depth, mayMeet);
      case 6 -> new RandomWideLoop(random, loops).step();
      case 7, 8 -> new RandomExchange(random, expression(1)).ofThoseLeft();
      default -> mayEnd ? end() : new RandomExchange(random, expression(1)).ofAll();
    };
  }

  private Step floatAssignment() {
    int index = random.nextInt(FLOATS);
    FloatExpression value = floats(3);
    return new Step(
        "  f%s = %s;\n".formatted(index, value.text),
        (group, takesPart) -> {
          group.each(takesPart, item -> group.floats[item][index] = value.value.of(group, item));
        });
  }

  private Step assignment() {
    int index = random.nextInt(VARIABLES);
    Expression value = expression(2);
    boolean isAdded = random.nextBoolean();
    String change = isAdded && random.nextBoolean() ? hiddenAddition() : "  %s %s %s;\n";
    return new Step(
        String.format(Locale.ROOT, change, "v" + index, isAdded ? "+=" : "=", value.text),
        (group, takesPart) -> {
          group.each(
              takesPart,
              item -> {
                int of = value.value.of(group, item);
                int[] v = group.variables[item];
                v[index] = isAdded ? v[index] + of : of;
              });
        });
  }

  /** Adds to a variable (1) a value (3) in a way that names do not show; 2 is not used. */
  private String hiddenAddition() {
    List<String> ways =
        List.of(
            "  { Hidden r = %1$s; r += %3$s; }\n",
            "  { Kept k{%1$s}; k.r += %3$s; }\n",
            "  { Kept k = {%1$s}; k.r += %3$s; }\n",
            "  { decltype((%1$s)) r = %1$s; r += %3$s; }\n",
            "  { Adder a{%3$s}; a >> %1$s; }\n",
            "  Adder{%3$s}(%1$s);\n",
            "  add_hidden(%1$s, %3$s);\n",
            "  add_constant(%1$s, %3$s);\n",
            "  add_as<int&>(%1$s, %3$s);\n",
            "  add_by_constness(%1$s, %3$s);\n",
            "  (%1$s > 7 ? %1$s : %1$s) += %3$s;\n",
            "  *address_of(%1$s) += %3$s;\n",
            "  Hidden(%1$s) += %3$s;\n",
            "  { auto add = [&](int y) { %1$s += y; }; add(%3$s); }\n",
            "  [](int& x, int y) { x += threadIdx.x < 64 ? y : 0; }(%1$s, %3$s);\n");
    return ways.get(random.nextInt(ways.size()));
  }

  /** Items differ in which branch they take, unless they meet in it. */
  private Step branch(int depth, boolean mayMeet) {
    boolean meets = mayMeet && random.nextBoolean();
    int bit = 1 << random.nextInt(4);
    Expression chosen =
        meets
            ? new Expression("(in[0] & " + bit + ")", (group, item) -> group.input[0] & bit)
            : expression(2);
    Step then = block(depth - 1, meets);
    Step rest = block(depth - 1, meets);
    return new Step(
        "  if (%s) {\n%s  } else {\n%s  }\n".formatted(chosen.text, then.text, rest.text),
        (group, takesPart) -> {
          boolean[] yes = new boolean[ITEMS];
          boolean[] no = new boolean[ITEMS];
          for (int item = 0; item < ITEMS; item++) {
            boolean does = takesPart[item] && !group.hasEnded[item];
            boolean is = does && chosen.value.of(group, item) != 0;
            yes[item] = is;
            no[item] = does && !is;
          }
          then.effect.run(group, yes);
          rest.effect.run(group, no);
        });
  }

  /** All items go through it equally often, which can be seen or not. */
  private Step loop(int depth, boolean mayMeet) {
    int counter = loops++;
    int most = random.nextInt(3) + 1;
    boolean isSeen = random.nextBoolean();
    boolean isOwn = !mayMeet && random.nextBoolean();
    String limit = isOwn ? "(item & 3)" : isSeen ? "" + most : "((in[0] & 1) + " + most + ")";
    String form =
        switch (random.nextInt(3)) {
          case 0 -> "  { int i%1$d = 0; while (i%1$d < %2$s) {\n%3$s  i%1$d++; } }\n";
          case 1 -> "  { int i%1$d; for (i%1$d = 0; i%1$d < %2$s; i%1$d += 1) {\n%3$s  } }\n";
          default -> "  for (int i%1$d = 0; i%1$d < %2$s; i%1$d++) {\n%3$s  }\n";
        };
    Step inside = block(depth - 1, mayMeet);
    loops--;
    return new Step(
        String.format(Locale.ROOT, form, counter, limit, inside.text),
        (group, takesPart) -> {
          boolean[] inLoop = new boolean[ITEMS];
          for (int round = 0; ; round++) {
            boolean isAny = false;
            for (int item = 0; item < ITEMS; item++) {
              int own = isOwn ? item & 3 : isSeen ? most : (group.input[0] & 1) + most;
              inLoop[item] = takesPart[item] && !group.hasEnded[item] && round < own;
              group.counters[item][counter] = round;
              isAny |= inLoop[item];
            }
            if (!isAny) {
              return;
            }
            inside.effect.run(group, inLoop);
          }
        });
  }

  /** Some items end. */
  private Step end() {
    Expression condition = leaf();
    int mask = (1 << (random.nextInt(3) + 2)) - 1;
    return new Step(
        "  if ((%s & %s) == 1) {\n    out[at] = -1;\n    return;\n  }\n"
            .formatted(condition.text, mask),
        (group, takesPart) -> {
          for (int item = 0; item < ITEMS; item++) {
            boolean does = takesPart[item] && !group.hasEnded[item];
            group.hasEnded[item] |= does && (condition.value.of(group, item) & mask) == 1;
          }
        });
  }
}
