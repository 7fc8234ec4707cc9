// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HostMemory;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Loops that work items leave in different rounds: what they have computed is theirs, and stays
 * what it was while others go on. And loops of which a compiler knows the sum.
 */
@CtsSuite
class LoopTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int COUNT = 2 * ITEMS;
  private static final int[] NUMBERS = // each item finds all of them within a hundred elements
      IntStream.range(0, 1024).map(i -> (i * 37 + i / 7) % 101 - 20).toArray();

  /** A kernel that computes a number for each work item {@code a}. */
  enum Kernel {
    LOADED(
        "int j = 0, v; do { v = x[a + j++]; } while (v < 70); y[a] = v;",
        a -> NUMBERS[found(a, 70)]),
    LOADED_WITH_A_BREAK(
        "int v; for (int j = a;; j++) { v = x[j]; if (v >= 70) break; } y[a] = v + 1;",
        a -> NUMBERS[found(a, 70)] + 1),
    LOADED_BY_A_POINTER(
        "const int* p = x + a; while (*p < 70) p++; y[a] = *p + (int)(p - x);",
        a -> NUMBERS[found(a, 70)] + found(a, 70)),
    LOADED_FROM_SHARED_MEMORY(
        """
        __shared__ int all[256];
        for (int i = threadIdx.x; i < 256; i += 64) all[i] = x[blockIdx.x * 64 + i];
        __syncthreads();
        int j = threadIdx.x, v;
        do { v = all[j++]; } while (v < 70);
        y[a] = v;""",
        a -> NUMBERS[found(a, 70)]),
    LOADED_AS_FLOAT(
        "int j = a; float v; do { v = x[j++] * 0.5f; } while (v < 35); y[a] = (int)(2 * v);",
        a -> NUMBERS[found(a, 70)]),
    LOADED_IN_A_BRANCH(
        """
        int v = 0;
        for (int j = a; v < 70; j++) {
          if (j % 2) { v = x[j] + 1; } else { v = x[j]; }
        }
        y[a] = v;""",
        a -> {
          int j = a;
          while (NUMBERS[j] + j % 2 < 70) {
            j++;
          }
          return NUMBERS[j] + j % 2;
        }),
    CHOSEN(
        """
        bool is = true;
        for (int j = a; j < a + 40; j++) {
          is = x[j] < 70;
          if (!is) break;
          if (x[j] == 11) break;
        }
        y[a] = is ? 1 : 2;""",
        a -> {
          int j = a;
          while (j < a + 39 && NUMBERS[j] < 70 && NUMBERS[j] != 11) {
            j++;
          }
          return NUMBERS[j] < 70 ? 1 : 2;
        }),
    NESTED(
        """
        int c = x[a], h = x[a + 10], fuel = 60;
        do {
          if (--fuel < 0) break;
          for (int k = 0; k < (h & 7); k++) {
            if (--fuel < 0) break;
            c += k;
            h = (c | (a + x[2 * a])) & 255;
            while (c > 0) if (--fuel < 0) break;
          }
        } while (x[a] > 0);
        y[a] = c * 100 + fuel;""",
        LoopTest::nested),
    RETURNED("y[a] = search(x + a);", LoopTest::searched),
    FEW_BITS(
        "int c = 0; for (int k = 0; k < n; k++) for (int j = 0; j < (k & 7); j++) c += j; y[a] = c;",
        a -> IntStream.range(0, Kernel.ROUNDS).map(k -> sum(k & 7)).sum()),
    FEW_BITS_FROM_THE_END(
        """
        unsigned c = 0;
        for (unsigned k = n; k > 0; k--) for (unsigned j = 0; j < k % 16u; j++) c += j * j;
        y[a] = (int)c;""",
        a ->
            IntStream.rangeClosed(1, Kernel.ROUNDS)
                .map(k -> IntStream.range(0, k % 16).map(j -> j * j).sum())
                .sum()),
    MANY_BITS(
        """
        long long c = 0, most = n + a;
        for (long long k = 0; k < most; k++) c += k;
        y[a] = (int)c;""",
        a -> sum(Kernel.ROUNDS + a));

    private static final int ROUNDS = 19;

    final String text;
    final IntUnaryOperator expected;

    Kernel(String text, IntUnaryOperator expected) {
      this.text = text;
      this.expected = expected;
    }
  }

  private static final String SEARCH =
      """
      static __device__ int search(const int* x) {
        for (int i = 0; i < 6; i++) {
          for (int j = 0; j < 5; j++) {
            if (x[i + j] < -15) return j * 100 + i;
            if (x[j] == 3) break;
          }
        }
        return 77;
      }
      """;

  private static int nested(int a) {
    int c = NUMBERS[a];
    int h = NUMBERS[a + 10];
    int fuel = 60;
    do {
      if (--fuel < 0) {
        break;
      }
      for (int k = 0; k < (h & 7); k++) {
        if (--fuel < 0) {
          break;
        }
        c += k;
        h = (c | (a + NUMBERS[2 * a])) & 255;
        while (c > 0) {
          if (--fuel < 0) {
            break;
          }
        }
      }
    } while (NUMBERS[a] > 0);
    return c * 100 + fuel;
  }

  private static int searched(int a) {
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 5; j++) {
        if (NUMBERS[a + i + j] < -15) {
          return j * 100 + i;
        }
        if (NUMBERS[a + j] == 3) {
          break;
        }
      }
    }
    return 77;
  }

  private static int found(int from, int least) {
    int at = from;
    while (NUMBERS[at] < least) {
      at++;
    }
    return at;
  }

  private static int sum(int end) {
    return IntStream.range(0, end).sum();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M10")
  void eachWorkItemHasItsOwnRounds(Kernel kernel, Cts cts) throws InterruptedException {
    cts.needsFormat("gpu-c++");
    String source =
        SEARCH
            + "extern \"C\" __global__ void loop(const int* x, int* y, int n) {\n"
            + "int a = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + kernel.text
            + "\n}\n";
    ExecutableSource bundle =
        ExecutableSource.builder("loops")
            .kernel("loop", ITEMS, in("x", I32), out("y", I32), constant("n", I32))
            .cpp(source)
            .build();
    int[] results = new int[COUNT];
    try (Executable kernels = cts.device().loadExecutable(bundle);
        Sequence sequence = cts.device().createSequence()) {
      QueueSteps steps = sequence.on(cts.device().queue(0));
      DeviceBuffer x = steps.allocate(I32, NUMBERS.length);
      DeviceBuffer y = steps.allocate(I32, COUNT);
      steps.upload(HostMemory.of(NUMBERS), x);
      Args args = Args.of(x, y, Kernel.ROUNDS);
      steps.dispatch(kernels.kernel("loop"), Workgroups.of(COUNT / ITEMS), args);
      steps.readback(y, HostMemory.of(results));
      sequence.await(Waits.LIMIT);
    }
    assertArrayEquals(IntStream.range(0, COUNT).map(kernel.expected).toArray(), results);
  }
}
