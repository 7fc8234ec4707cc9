// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.TestData.toInts;
import static org.jhal.cts.support.Waits.isReachedUnlessFound;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Kernels in which some work items end before others meet: a {@code return} ends those that get to
 * it, and no other.
 */
@CtsSuite
class EarlyReturnTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int GROUPS = 4;

  /** A warp may have 64 lanes, of which 32 do not meet as a whole. */
  private static final String MEETING = "#define MEET_IN_32 if (warpSize == 32) __syncwarp()\n";

  /** For which items something holds, in a round of a loop. */
  private interface Holds {
    boolean is(int group, int item, int round);
  }

  /** What items get to the return. */
  enum Place {
    EVERYWHERE("{ BODY }", (group, item, round) -> round < 1),
    BRANCH_OF_A_GROUP(
        "if (blockIdx.x > 1) { BODY }", (group, item, round) -> round < 1 && group > 1),
    OTHER_BRANCH_OF_A_GROUP(
        "if (blockIdx.x > 1) { __syncthreads(); } else { BODY }",
        (group, item, round) -> round < 1 && group <= 1),
    BRANCH_OF_A_WARP(
        "if (threadIdx.x < 32) { BODY }", (group, item, round) -> round < 1 && item < 32),
    OTHER_BRANCH_OF_A_WARP(
        "if (threadIdx.x < 32) { value += 1; out[at] = value; } else { BODY }",
        (group, item, round) -> round < 1 && item >= 32),
    BRANCH_IN_A_BRANCH(
        "if (threadIdx.x >= 32) { if (blockIdx.x > 1) { BODY } }",
        (group, item, round) -> round < 1 && item >= 32 && group > 1),
    LOOP("for (int k = 0; k < 3; k++) { BODY }", (group, item, round) -> round < 3),
    LOOP_OF_A_WARP(
        "for (int k = 0; k < 1 + (int)threadIdx.x / 32; k++) { BODY }",
        (group, item, round) -> round < 1 + item / 32),
    LOOP_WITH_ITS_CONDITION_BEHIND(
        "int k = 0; do { BODY } while (++k < 2);", (group, item, round) -> round < 2);

    final String text;
    final Holds isInside;

    Place(String text, Holds isInside) {
      this.text = text;
      this.isInside = isInside;
    }

    /** Whether whole workgroups get there, and so may meet there. */
    boolean isOfGroups() {
      return IntStream.range(0, GROUPS)
          .allMatch(
              group ->
                  IntStream.range(0, ITEMS)
                      .allMatch(
                          item ->
                              isInside.is(group, item, 1) == isInside.is(group, 0, 1)
                                  && isInside.is(group, item, 0) == isInside.is(group, 0, 0)));
    }
  }

  /** Who returns there. */
  enum Who {
    ALL_OF_A_GROUP("blockIdx.x % 2 == 0", (group, item, round) -> group % 2 == 0),
    ALL_OF_A_WARP("threadIdx.x >= 32", (group, item, round) -> item >= 32),
    SOME("in[at] % 3 == 0", (group, item, round) -> (group * ITEMS + item) % 3 == 0);

    final String text;
    final Holds returns;

    Who(String text, Holds returns) {
      this.text = text;
      this.returns = returns;
    }
  }

  /** How the return is written. */
  enum Form {
    BARE("if (WHO) return;"),
    BLOCK("if (WHO) { value += 100; out[at] = value; return; }");

    final String text;

    Form(String text) {
      this.text = text;
    }
  }

  private record Case(Place place, Who who, Form form) {
    String name() {
      return "%s_%s_%s".formatted(place, who, form).toLowerCase(Locale.ROOT);
    }

    String text() {
      String body =
          form.text.replace("WHO", who.text)
              + (place.isOfGroups() ? " __syncthreads();" : " MEET_IN_32;")
              + " value = value * 3 + 1; out[at] = value;";
      return """
          extern "C" __global__ void %s(const int* in, int* out) {
            int at = blockIdx.x * blockDim.x + threadIdx.x;
            __shared__ int seen[64];
            int value = in[at];
            seen[threadIdx.x] = value;
            out[at] = value;
            %s
            __syncthreads();
            out[at] = value + 1000 * seen[63 - threadIdx.x];
          }
          """
          .formatted(name(), place.text.replace("BODY", body));
    }

    /** What an item writes last. */
    int expected(int group, int item) {
      int value = group * ITEMS + item;
      if (place == Place.OTHER_BRANCH_OF_A_WARP && item < 32) {
        value++;
      }
      for (int round = 0; place.isInside.is(group, item, round); round++) {
        if (who.returns.is(group, item, round)) {
          return form == Form.BARE ? value : value + 100;
        }
        value = value * 3 + 1;
      }
      return value + 1000 * (group * ITEMS + ITEMS - 1 - item);
    }
  }

  private static Map<String, Case> cases() {
    Map<String, Case> cases = new LinkedHashMap<>();
    for (Place place : Place.values()) {
      for (Who who : Who.values()) {
        for (Form form : Form.values()) {
          Case one = new Case(place, who, form);
          cases.put(one.name(), one);
        }
      }
    }
    return cases;
  }

  @Test
  @Rule("M8")
  void onlyTheItemsThatReturnEnd(Cts cts) {
    cts.needsFormat("gpu-c++");
    Map<String, Case> cases = cases();
    BundleBuilder bundle = ExecutableSource.builder("returns");
    StringBuilder text = new StringBuilder(MEETING);
    cases.forEach(
        (name, one) -> {
          bundle.kernel(name, ITEMS, in("in", I32), out("out", I32));
          text.append(one.text());
        });
    Executable kernels =
        cts.closing(cts.device().loadExecutable(bundle.cpp(text.toString()).build()));
    int count = GROUPS * ITEMS;
    DeviceBuffer in = cts.buffer(ints(count, i -> i));
    cases.forEach(
        (name, one) -> {
          DeviceBuffer out = cts.buffer(new byte[Integer.BYTES * count]);
          TimelineSemaphore done = cts.semaphore();
          Args args = Args.of(in, out);
          cts.queue()
              .dispatch(Fence.NONE, done.at(1), kernels.kernel(name), Workgroups.of(GROUPS), args);
          if (!isReachedUnlessFound(done.at(1))) {
            return;
          }
          int[] expected = new int[count];
          for (int i = 0; i < count; i++) {
            expected[i] = one.expected(i / ITEMS, i % ITEMS);
          }
          assertArrayEquals(expected, toInts(cts.read(out)), one.text());
        });
  }
}
