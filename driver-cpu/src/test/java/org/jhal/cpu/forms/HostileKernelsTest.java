// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static java.util.Arrays.stream;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that are hard to translate write in each form what a plain Java reference says. */
@NeedsCompiler
class HostileKernelsTest {
  /** A workgroup of 64 items, and what they read. */
  private record Group(int number, int[] in) {
    /** What the item reads that is opposite to {@code item}. */
    int opposite(int item) {
      return in[63 - item];
    }

    /** What the items of a warp read. */
    int[] warp(int item) {
      return Arrays.copyOfRange(in, item / 32 * 32, item / 32 * 32 + 32);
    }

    /** How many items of a warp read something for which a test is true. */
    int count(int item, IntPredicate test) {
      return (int) stream(warp(item)).filter(test).count();
    }

    /** The sum of what those read. */
    int sum(int item, IntPredicate test) {
      return stream(warp(item)).filter(test).sum();
    }
  }

  private interface Reference {
    int of(Group group, int item);
  }

  private static final Map<String, Reference> REFERENCES = new LinkedHashMap<>();

  static {
    names();
    changes();
    declarations();
    jumps();
    loops();
    functions();
    exchanges();
    activeLanes();
    sharedReferences();
    twoMeetings();
    agreements();
    overflows();
    is("texts", (g, t) -> g.in[t] + '_' + '}' + '{' + '\'' + 1000 + 16);
  }

  private static void is(String kernel, Reference reference) {
    REFERENCES.put(kernel, reference);
  }

  private static void names() {
    is("hidden_name", (g, t) -> g.in[t] + t + 1);
    is("named_like_a_function", (g, t) -> g.in[t] * 2 + 7);
    is("members_named_like_variables", (g, t) -> g.in[t] + t + 2 + t + 2);
    is("global_hidden_by_the_caller", (g, t) -> g.opposite(t) * 3 + 100 + g.in[t]);
    is("argument_named_like_a_local", (g, t) -> g.in[t] + g.opposite(t));
    is("function_of_a_namespace", (g, t) -> g.in[t] * 2 + 5);
  }

  private static void changes() {
    is("read_through_a_cast", (g, t) -> g.in[t] + 1);
    is("written_through_a_cast", (g, t) -> t + 5 + g.in[t]);
    is("pointer_over_a_barrier", (g, t) -> 2 * (g.in[t] + 3));
    is("pointer_into_an_array", (g, t) -> g.in[t] + 5);
    is("pointer_to_an_element", (g, t) -> g.in[t] + 3);
    is("pointer_in_a_struct", (g, t) -> g.in[t] + 4);
    is("changed_by_a_reference", (g, t) -> g.in[t] + 5);
    is("reference_over_a_barrier", (g, t) -> 2 * (g.in[t] + 2));
    is("reference_to_a_pointer", (g, t) -> g.in[1]);
    is("forwarded_reference", (g, t) -> t + 2 + g.in[t]);
    is("reference_to_a_method", (g, t) -> t + 5 + g.in[t]);
    is("member_by_reference", (g, t) -> t + 2 + g.in[t]);
    is("set_by_a_macro", (g, t) -> g.in[t]);
    is("set_by_a_choice", (g, t) -> g.in[t] % 2 != 0 ? 1500 + t + 1 : 3 * t + 500);
    is("set_by_assembly", (g, t) -> t + 7 + g.in[t]);
    is("shared_is_memory", (g, t) -> g.in[0] + t + 99);
    is("shared_of_one_item", (g, t) -> t == 5 ? g.in[t] : 0);
    is("changed_by_a_lambda", (g, t) -> t + g.in[t]);
    is("lambda_over_a_barrier", (g, t) -> g.in[t] + 1);
    is("counter_by_reference", (g, t) -> 9 + 3 * g.opposite(t));
    is("parameters_that_change", (g, t) -> g.in[t] + 1);
    is("constant_reference_to_what_changes", (g, t) -> 50);
    is("volatile_over_a_barrier", (g, t) -> g.in[t] + 1);
  }

  private static void declarations() {
    is("anonymous_union", (g, t) -> Float.floatToIntBits(g.in[t]));
    is("variable_behind_its_class", (g, t) -> g.in[t] + 2);
    is("constant_array", (g, t) -> t % 3 == 2 ? g.in[t] : t % 3 + 1);
    is("deduced", (g, t) -> 4 * g.in[t] + 1);
    is("declared_in_a_condition", (g, t) -> g.in[t] % 2 != 0 ? 10 : 12);
    is("chosen_when_compiled", (g, t) -> g.in[t] + 2);
    is("class_with_a_method", (g, t) -> g.in[t] + 1 + g.number % 2);
    is("range_over_an_array", (g, t) -> sum(1, 4, i -> (g.in[t] + i) % 2 == 0 ? g.in[t] + i : 0));
  }

  private static void jumps() {
    is("continue_in_a_switch", (g, t) -> 3 * g.opposite(t) + 35);
    is("back_by_goto", (g, t) -> g.in[t] + 6);
    is(
        "falling_through",
        (g, t) -> g.number % 3 == 0 ? g.opposite(t) + 2 : g.number % 3 == 1 ? 2 : 3);
    is(
        "nested_jumps",
        (g, t) ->
            sum(0, 4, i -> sum(0, i + 1, j -> (g.in[0] + j + j) % 3 == 0 ? 0 : g.opposite(t) + j)));
    is("continue_in_a_do", (g, t) -> 3 * g.opposite(t) + 5);
    is("early_in_functions", (g, t) -> 3 * (g.opposite(t) < 500 ? -1 : g.opposite(t) + 3) + 1000);
    is(
        "no_division_by_those_that_ended",
        (g, t) -> g.number == 3 ? -1 : 100 / (g.number - 3) + g.in[t]);
    is("negative_index", (g, t) -> t < 5 ? -7 : g.in[t]);
  }

  private static void loops() {
    is("halving", (g, t) -> sum(0, 64, i -> g.in[i]));
    is("declared_before", (g, t) -> sum(0, 64, i -> g.in[i]));
    is("two_variables", (g, t) -> sum(0, t + 1, i -> g.in[i]));
    is("some_leave_earlier", (g, t) -> sum(0, g.in[t] % 8, i -> i + 1) * 100 + g.in[t] % 8);
    is("all_leave_behind_a_barrier", (g, t) -> 3 * g.opposite(t) + 3 + 3);
    is("changed_by_some", (g, t) -> 4 * g.opposite(t) + ((63 - t) % 2 != 0 ? 14 : 22));
    is("shared_limit", (g, t) -> g.in[0] % 5 + 1);
  }

  private static void functions() {
    is("called", (g, t) -> fibonacci(g.in[t] % 10) + 4 + 6 + t + 4);
    is("class_asks_for_the_item", (g, t) -> g.in[t] + 1);
    is("class_asks_between_barriers", (g, t) -> g.opposite(t) + 1);
    is("recursion_with_barriers", (g, t) -> g.in[(t + 3) % 64]);
    is("array_by_reference", (g, t) -> g.in[t] + 3);
  }

  private static void exchanges() {
    is("behind_a_comma", (g, t) -> g.in[t] + g.in[t / 32 * 32 + 3]);
    is("in_a_list_of_declarations", (g, t) -> g.in[t] + 2 * g.in[t / 32 * 32 + 3] + 1);
    is("in_a_lambda", (g, t) -> g.in[t / 32 * 32] + 1);
    is(
        "in_a_condition",
        (g, t) ->
            t != 0
                ? 0
                : sum(0, 32, i -> g.in[i]) + (sum(0, 32, i -> g.in[i] > 990 ? 1 : 0) > 0 ? 1 : 0));
    is("a_group_that_is_assigned", (g, t) -> g.opposite(t));
    is("exchanges_that_are_left_out", (g, t) -> 10 * (g.in[0] % 4 + g.in[0] % 2) + g.in[0] % 2);
    is("exchanges_in_a_class", (g, t) -> g.warp(t)[3]);
    is("nested_shuffles", (g, t) -> g.in[t / 32 * 32 + (t + 8) % 32]);
    is("shuffle_of_a_vote", (g, t) -> (int) stream(g.warp(t)).filter(v -> v > 500).count() + 7);
    is("vote_of_a_shuffle", (g, t) -> (g.warp(t)[3] + g.warp(t)[9]) % 2);
  }

  private static void activeLanes() {
    is("leaders_of_active_lanes", (g, t) -> t == 0 ? 64 - 7 : -7);
    is("active_in_a_branch", (g, t) -> sum(0, 64, i -> g.in[i] % 3 == 0 ? 1 : 1000));
    is(
        "exchanges_of_active_lanes",
        (g, t) -> g.in[t] % 2 != 0 ? g.in[t] + 1 : g.in[t] % 3 == 0 ? 3 : 2);
    is("slots_of_active_lanes", (g, t) -> stream(g.in).filter(v -> v % 5 < 2).sum());
    is("reduced_by_all_active", (g, t) -> stream(g.warp(t)).sum());
    is(
        "reduced_in_both_branches",
        (g, t) ->
            320000
                + (g.in[t] % 3 == 0
                    ? g.sum(t, v -> v % 3 == 0) + g.count(t, v -> v % 3 == 0)
                    : stream(g.warp(t)).filter(v -> v % 3 != 0).max().orElseThrow()
                        + 100 * g.count(t, v -> v % 3 != 0)));
    Reference halves =
        (g, t) ->
            g.in[t] % 2 != 0 ? g.count(t, v -> v % 2 != 0) : 100 * g.count(t, v -> v % 2 == 0);
    is("branches_in_one_line", halves);
    is("halves_of_a_warp", (g, t) -> t % 32 < 16 ? sum(0, 16, i -> g.warp(t)[i]) : g.warp(t)[16]);
    is(
        "active_in_a_helper",
        (g, t) -> {
          int factor = g.in[t] % 2 != 0 ? 1 : 3;
          IntPredicate isSame = v -> v % 2 == g.in[t] % 2;
          return factor * g.sum(t, isSame) + g.count(t, isSame) + 7 * 64;
        });
    is(
        "active_in_a_helper_that_ends_early",
        (g, t) -> {
          IntPredicate isSame = v -> v % 2 == g.in[t] % 2 && v % 5 != 0;
          int sum = g.in[t] % 5 == 0 ? -1 : 3 * g.sum(t, isSame) + 2 * g.count(t, isSame);
          return (g.in[t] % 2 != 0 ? sum : 2 * sum) + 6400000;
        });
    Reference leaving = (g, t) -> 100 * sum(0, g.in[t] % 8, i -> g.count(t, v -> v % 8 > i)) + 32;
    is("active_while_some_leave", leaving);
    is("active_in_the_header_of_a_loop", leaving);
    is("active_of_those_left", (g, t) -> g.in[t] % 4 == 0 ? -7 : g.count(t, v -> v % 4 != 0));
    is(
        "active_between_barriers",
        (g, t) -> {
          int[] digits = {1, 10, 100};
          return sum(
              0, 3, i -> digits[i] * sum(0, 2, w -> g.count(32 * w, v -> v % 3 == i) > 0 ? 1 : 0));
        });
    is("active_beside_an_exchange", halves);
    is("active_in_a_class", (g, t) -> 32);
  }

  private static void sharedReferences() {
    is("read_before_a_barrier_by_reference", (g, t) -> 3 * (g.opposite(t) + 1) + g.in[63] + 1);
    is("read_before_a_barrier_by_a_deduced_reference", (g, t) -> g.opposite(t));
    is("read_before_a_barrier_from_a_scalar", (g, t) -> g.in[5]);
    is("read_before_a_barrier_from_a_field", (g, t) -> g.opposite(t));
    is("read_before_a_barrier_as_an_index", (g, t) -> g.in[t ^ 1]);
  }

  private static void twoMeetings() {
    is(
        "counted_and_any",
        (g, t) ->
            1000 * (int) stream(g.in).filter(v -> v % 3 == 0).count()
                + (stream(g.in).anyMatch(v -> v > 990) ? 10 : 0)
                + (stream(g.in).allMatch(v -> v > 4) ? 1 : 0));
    is("meetings_in_a_condition_and_behind_it", (g, t) -> g.warp(t)[3] + g.opposite(t));
    is(
        "meetings_in_lists_of_values",
        (g, t) -> g.in[t ^ 1] + 10 * g.in[t ^ 2] + 100 * g.in[t ^ 4] + g.in[t ^ 8] * g.in[t ^ 3]);
    is(
        "larger_of_two_shuffles",
        (g, t) -> Math.max(g.in[t ^ 1], t % 32 < 30 ? g.in[t + 2] : g.in[t]));
    is(
        "ballots_of_two_questions",
        (g, t) -> sum(0, 32, i -> ((g.warp(t)[i] ^ g.warp(t)[i] >> 1) & 1) << i));
  }

  private static void agreements() {
    is("agreed_in_a_condition", (g, t) -> stream(g.in).anyMatch(v -> v > 990) ? g.opposite(t) : t);
    is(
        "agreed_in_a_loop",
        (g, t) -> {
          int most = stream(g.in).map(v -> v % 8).max().orElseThrow();
          return 100 * most + sum(0, most, i -> (int) stream(g.in).filter(v -> v % 8 > i).count());
        });
    is(
        "agreed_by_those_left",
        (g, t) ->
            g.in[t] % 4 == 0
                ? -1
                : 1000 + (int) stream(g.in).filter(v -> v % 4 != 0 && v % 3 == 0).count());
    is("agreed_in_a_helper", (g, t) -> stream(g.in).filter(v -> v > 500).count() > 32 ? 3 : 7);
    is("beside_each_other", (g, t) -> sum(0, 64, i -> g.in[i]) + (t == 3 ? 1 : 0));
  }

  private static void overflows() {
    is(
        "overflowing_through_a_variable",
        (g, t) -> (t * 100_000_000L & 0xFFFFFFFFL) < 2_100_000_000L ? 5 : -7);
    is(
        "overflowing_when_narrowed",
        (g, t) -> (t * 40_000_000_000L & 0xFFFFFFFFL) < 2_000_000_000L ? 1 : -7);
    is(
        "overflowing_in_a_sum",
        (g, t) -> (t * 296_000_000L & 0xFFFFFFFFL) < 2_100_000_000L ? 5 : -7);
  }

  private static int sum(int from, int to, IntUnaryOperator value) {
    int sum = 0;
    for (int i = from; i < to; i++) {
      sum += value.applyAsInt(i);
    }
    return sum;
  }

  private static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  private static String source() throws IOException {
    try (InputStream in = HostileKernelsTest.class.getResourceAsStream("hostile.cpp")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "auto")
  void kernelsWriteWhatTheirReferenceSays(String form) throws Exception {
    List<String> names = List.copyOf(REFERENCES.keySet());
    Map<String, String> wrong = new LinkedHashMap<>();
    try (FormRun run = new FormRun(form, source(), names)) {
      for (String name : names) {
        Reference reference = Objects.requireNonNull(REFERENCES.get(name));
        if (run.note(name).contains("rejects")) { // then no kernel would have the form
          wrong.put(name, run.note(name));
        }
        for (int seed = 0; seed < 3; seed++) {
          int[] input = new Random(seed).ints(FormRun.COUNT, 0, 1000).toArray();
          int[] wanted = new int[FormRun.COUNT];
          for (int i = 0; i < wanted.length; i++) {
            int first = i / FormRun.ITEMS * FormRun.ITEMS;
            int[] in = Arrays.copyOfRange(input, first, first + FormRun.ITEMS);
            wanted[i] = reference.of(new Group(i / FormRun.ITEMS, in), i % FormRun.ITEMS);
          }
          try {
            assertArrayEquals(wanted, run.run(name, input), name);
          } catch (AssertionError | org.jhal.HalException e) {
            wrong.putIfAbsent(name, String.valueOf(e.getMessage()));
          }
        }
      }
    }
    assertArrayEquals(new Object[0], wrong.entrySet().toArray(), form + ": " + wrong);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"fission", "coroutine", "fiber"})
  void kernelsWriteTheSameInOtherForms(String form) throws Exception {
    kernelsWriteWhatTheirReferenceSays(form);
  }
}
