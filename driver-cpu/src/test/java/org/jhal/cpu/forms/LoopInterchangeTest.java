// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Translator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops that all items of a workgroup go through beside each other, and such as only seem fit. */
class LoopInterchangeTest {
  private interface Reference {
    int of(int[] in, int group, int item);
  }

  private static final String BEGIN =
      """
      #define BEGIN(name) extern "C" __global__ void name(const int* in, int* out) { \\
        const unsigned at = blockIdx.x * blockDim.x + threadIdx.x; const int item = threadIdx.x; int v = in[at];
      #define END out[at] = v; }
      """;

  private static final Map<String, String> BODIES = new LinkedHashMap<>();
  private static final Map<String, Reference> REFERENCES = new LinkedHashMap<>();

  private static void is(String kernel, String body, Reference reference) {
    BODIES.put(kernel, "BEGIN(" + kernel + ")\n" + body + "\nEND\n");
    REFERENCES.put(kernel, reference);
  }

  private static int own(int[] in, int group, int item) {
    return in[group * FormRun.ITEMS + item];
  }

  static {
    is(
        "counts_down",
        "for (int k = gridDim.x + 20; k >= 0; --k) { v = 3 * v + in[k] * item + in[k + item]; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = FormRun.COUNT / FormRun.ITEMS + 20; k >= 0; k--) {
            v = 3 * v + in[k] * item + in[k + item];
          }
          return v;
        });
    is(
        "index_wraps_between_items",
        "for (unsigned i = item - 16u; i < 100u; i += 64u) v += in[i] + i;",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int i = item - 16; i >= 0 && i < 100; i += 64) {
            v += in[i] + i;
          }
          return v;
        });
    is(
        "index_is_negative",
        "for (int i = item + -5; i < 100u; i += 64) v += i;",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int i = item - 5; i >= 0 && i < 100; i += 64) {
            v += i;
          }
          return v;
        });
    is(
        "index_overflows_at_the_end",
        "for (unsigned i = item + 4294967000u; i < 4294967200u; i += 64u) v += i & 1023u;",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (long i = item + 4294967000L; i < 4294967200L; i += 64) {
            v += (int) (i & 1023);
          }
          return v;
        });
    is(
        "guard_passes_neither_the_first_nor_the_last",
        "if (item + -5 < 20u) v += in[at] * 3;",
        (in, group, item) -> own(in, group, item) * (item >= 5 && item < 25 ? 4 : 1));
    is(
        "limit_changes_in_the_loop",
        "int limit = 40 + blockIdx.x; for (int i = 0; i < limit; i++) { v += i; limit -= 1; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          int limit = 40 + group;
          for (int i = 0; i < limit; i++) {
            v += i;
            limit--;
          }
          return v;
        });
    is(
        "items_write_what_they_read_in_the_next_round",
        "__shared__ int kept[64]; kept[item] = v;\n"
            + "for (int k = 0; k < 20 + blockIdx.x; k++) { v += kept[item] * 3; kept[item] = v ^ k; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          int kept = v;
          for (int k = 0; k < 20 + group; k++) {
            v += kept * 3;
            kept = v ^ k;
          }
          return v;
        });
    is(
        "counted_by_while",
        "int k = 0; while (k < 20 + blockIdx.x) { v = v * 3 + in[k * 8 + item]; k++; }\n"
            + "long long i = item; int step = blockDim.x; while (i < 300) { v += in[i]; i += step; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = 0; k < 20 + group; k++) {
            v = v * 3 + in[k * 8 + item];
          }
          for (int i = item; i < 300; i += 64) {
            v += in[i];
          }
          return v;
        });
    is(
        "counted_by_while_that_continues",
        "int k = 0; while (k < 30) { if ((k + item) % 3 == 0) { k += 2; continue; } v = v * 3 + k; k++; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = 0; k < 30; k++) {
            if ((k + item) % 3 == 0) {
              k++;
              continue;
            }
            v = v * 3 + k;
          }
          return v;
        });
    is(
        "counter_is_used_behind_its_loop",
        "int k = item; while (k < 300) { v += in[k]; k += 64; } v = v * 5 + k;",
        (in, group, item) -> {
          int v = own(in, group, item);
          int k = item;
          for (; k < 300; k += 64) {
            v += in[k];
          }
          return v * 5 + k;
        });
    is(
        "counter_is_used_before_its_loop",
        "int k = item; int j = k * 2; k += 1; int& r = k; r++; while (k < 300) { v += in[k] + j; k += 64; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = item + 2; k < 300; k += 64) {
            v += in[k] + item * 2;
          }
          return v;
        });
    is(
        "counter_begins_with_what_changes",
        "__shared__ int s[64]; s[item] = item; int first = item; int k = s[item]; s[item] = 500; int j = first; first += 7;\n"
            + "while (k < 300) { v += in[k]; k += 64; } while (j < 300) { v += in[j] * 3; j += 64; } v += first + s[item];",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = item; k < 300; k += 64) {
            v += in[k] * 4;
          }
          return v + item + 507;
        });
    is(
        "step_of_another_name",
        "int step = 64; int k = item; while (k < 300) { int step = 32; v += in[k] + step; k += step; }\n"
            + "int j = item; while (j < 300) { int step2 = 2 + j % 2; { int step = 3; v += step; } v += step2; j += step + step2; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = item; k < 300; k += 32) {
            v += in[k] + 32;
          }
          for (int j = item; j < 300; ) {
            int more = 2 + j % 2;
            v += 3 + more;
            j += 64 + more;
          }
          return v;
        });
    is(
        "counted_twice",
        "int k = item; while (k < 300) { v += in[k]; k += 32; v ^= k; k += 32; } int j = 0; while (j++ < 20) { v += j; j += 1; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          for (int k = item; k < 300; k += 64) {
            v += in[k];
            v ^= k + 32;
          }
          for (int j = 1; j <= 20; j += 2) {
            v += j;
          }
          return v;
        });
    is(
        "sums_of_all_items",
        "__shared__ unsigned sums[32]; if (item < 32) sums[item] = 0; __syncthreads();\n"
            + "int k = item; while (k < 500) { atomicAdd(&sums[in[k] & 31], k); k += blockDim.x; }\n"
            + "for (int j = 0; j < 20 + blockIdx.x; j++) { atomicSub(&sums[item & 7], in[j * 8 + item]); }\n"
            + "__syncthreads(); v += sums[item & 31];",
        (in, group, item) -> {
          int[] sums = new int[32];
          for (int k = 0; k < 500; k++) {
            sums[in[k] & 31] += k;
          }
          for (int other = 0; other < FormRun.ITEMS; other++) {
            for (int j = 0; j < 20 + group; j++) {
              sums[other & 7] -= in[j * 8 + other];
            }
          }
          return own(in, group, item) + sums[item & 31];
        });
    is(
        "own_sum_is_read_again",
        "__shared__ int sums[64]; sums[item] = v;\n"
            + "for (int k = 0; k < 20 + blockIdx.x; k++) { v = v * 3 + sums[item]; atomicAdd(&sums[item], v ^ k); }",
        (in, group, item) -> {
          int v = own(in, group, item);
          int sum = v;
          for (int k = 0; k < 20 + group; k++) {
            v = v * 3 + sum;
            sum += v ^ k;
          }
          return v;
        });
    is(
        "some_have_returned",
        "if (v % 3 == 0) { out[at] = -1; return; }\n"
            + "for (int k = 0; k < 20 + blockIdx.x; k++) v = v * 3 + in[k * 8 + item];",
        (in, group, item) -> {
          int v = own(in, group, item);
          if (v % 3 == 0) {
            return -1;
          }
          for (int k = 0; k < 20 + group; k++) {
            v = v * 3 + in[k * 8 + item];
          }
          return v;
        });
    is(
        "some_are_in_a_branch",
        "if (item < 40 || blockIdx.x == 0) { for (int k = item; k < 300; k += 64) v += in[k];\n"
            + "for (int k = 0; k < 20 + blockIdx.x; k++) v = v * 3 + in[k * 8 + item]; }",
        (in, group, item) -> {
          int v = own(in, group, item);
          if (item < 40 || group == 0) {
            for (int k = item; k < 300; k += 64) {
              v += in[k];
            }
            for (int k = 0; k < 20 + group; k++) {
              v = v * 3 + in[k * 8 + item];
            }
          }
          return v;
        });
  }

  @ParameterizedTest
  @ValueSource(strings = "auto")
  void loopsWriteWhatTheirReferenceSays(String form) throws InterruptedException {
    List<String> names = List.copyOf(REFERENCES.keySet());
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
    try (FormRun run = new FormRun(form, BEGIN + String.join("", BODIES.values()), names)) {
      for (String name : names) {
        Reference reference = Objects.requireNonNull(REFERENCES.get(name));
        int[] in = new Random(name.length()).ints(FormRun.COUNT, 0, 1000).toArray();
        int[] wanted = new int[FormRun.COUNT];
        for (int i = 0; i < wanted.length; i++) {
          wanted[i] = reference.of(in, i / FormRun.ITEMS, i % FormRun.ITEMS);
        }
        assertArrayEquals(wanted, run.run(name, in), name);
      }
    }
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"fission", "coroutine", "fiber"})
  void loopsWriteTheSameInOtherForms(String form) throws InterruptedException {
    loopsWriteWhatTheirReferenceSays(form);
  }

  private static boolean isTurned(String loop, int width) {
    return isTurned("", loop, width);
  }

  private static boolean isTurned(String before, String loop, int width) {
    String source =
        "# 1 \"a.cpp\"\n"
            + before
            + "__global__ void k(int n, int m, const float* a, float* b, int* c) {\n"
            + "int x = blockIdx.x * blockDim.x + threadIdx.x;\nfloat sum = 0.0f;\n"
            + loop
            + "\nb[x] = sum;\n}\n";
    KernelRequest request = new KernelRequest("k", width, 1, 1);
    String text = Translator.translate(source, List.of(request), null).text();
    return text.contains("hal_any_active") || text.contains("hal_all_active");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | for (int k = 0; k < n; k++) sum += a[k] * a[k * m + x];",
        "true  | for (int k = n - 1; k >= 0; k--) sum += a[k] * a[k * m + x];",
        "true  | for (int i = x; i < n; i += 256) sum += a[i];",
        "true  | for (int i = x; i < n; i += m) { float d = a[i] - sum; b[i] = d; }",
        "true  | const float* p = a + m; for (int k = 0; k < n; k++) sum += p[k * m + x];",
        "true  | a += m; for (int i = x; i < n; i += 256) sum = fmaxf(sum, a[i]);",
        "true  | for (int i = x; i < n; i += 256) b[i] = b[i] / sum / 2.0f;",
        "true  | for (int i = x; i < n; i += 256) b[i] /= sum;",
        "false | const float* p = a + x; for (int k = 0; k < n; k++) sum += p[k * m + x];",
        "false | const float* p = a; if (x > 3) p = b; for (int k = 0; k < n; k++) sum += p[k * m + x];",
        "false | for (int i = x; i < n; i += 256) b[i] = i / m;",
        "false | for (int i = x; i < n; i += 256) b[i] = sum / a[n - i];",
        "false | for (int k = 0; k < n; k++) sum += a[x * n + k];",
        "false | for (int k = 0; k < 16; k++) sum += a[k * m + x];",
        "false | for (int k = 15; k >= 0; k--) sum += a[k * m + x];",
        "false | for (int k = x; k >= 0; k--) sum += a[k];",
        "false | for (int k = 0; k < x; k++) sum += a[k];",
        "false | for (int i = x; i < n; i += x) sum += a[i];",
        "false | for (int k = 0; k < n; k++) b[k] = sum;",
        "false | for (int k = 0; k < n; k++) sum += atomicAdd(c, 1);",
        "false | atomicAdd(c, 1); for (int k = 0; k < n; k++) sum += a[k];",
        "false | __threadfence(); for (int k = 0; k < n; k++) sum += a[k];",
        "false | volatile int u = 1; for (int k = 0; k < n; k++) sum += a[k];",
        "false | for (int k = 0; k < n; k++) { if (sum > 9.0f) break; sum += a[k]; }",
        "false | float own[4]; for (int k = 0; k < n; k++) sum += a[k]; sum += own[0];",
      })
  void onlyLoopsThatAreSafeAndFastAreTurned(boolean isTurned, String loop) {
    assertEquals(isTurned, isTurned(loop, 64));
  }

  /** An item that holds a lock must not wait for others, whatever code takes the lock. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false | struct Lock { int* at; void take() { while (atomicCAS(at, 0, 1)); } }; | Lock l{c}; l.take();",
        "false | struct Lock { Lock(int* at) { while (atomicCAS(at, 0, 1)); } };        | Lock l(c);",
        "false | struct Lock { static void take(int* at) { atomicCAS(at, 0, 1); } };    | Lock::take(c);",
        "false | template <class T> struct Lock { Lock(T* at) { atomicCAS(at, 0, 1); } }; | Lock<int> l(c);",
        "false | static auto take = [](int* at) { while (atomicCAS(at, 0, 1)); };       | take(c);",
        "false | static int (*const swap)(int*, int, int) = &atomicCAS;                 | while (swap(c, 0, 1));",
        "false | typedef volatile int flag;                                             | while (*(flag*)c);",
        "true  | struct Lock { int* at; void take() { *at = 1; } };                     | *c = 0;",
        "true  | __global__ void other(int* at) { atomicCAS(at, 0, 1); }                | *c = 0;",
      })
  void locksMayBeTakenByAnyCode(boolean isTurned, String before, String lock) {
    String loop = "for (int k = 0; k < n; k++) sum += a[k] * a[k * m + x];";
    assertEquals(isTurned, isTurned(before + "\n", lock + " " + loop, 64));
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "coroutine", "fiber"})
  void itemsHoldALockInALoop(String form) throws InterruptedException {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
    String source =
        """
        struct Lock {
          int* at;
          __device__ void take() { while (atomicCAS(at, -7, 1) != -7) {} __threadfence(); }
          __device__ void give() { __threadfence(); atomicExch(at, -7); }
        };
        extern "C" __global__ void counted(const int* in, int* out) {
          Lock lock{out};
          lock.take();
          int sum = 0;
          for (int k = 0; k < gridDim.x + 20; k++) sum += out[k + 1];
          out[1] += sum == 12345 ? 2 : 1;
          lock.give();
        }
        """;
    try (FormRun run = new FormRun(form, source, List.of("counted"))) {
      assertEquals(FormRun.COUNT - 7, run.run("counted", new int[FormRun.COUNT])[1]);
    }
  }

  /** So must one that does what is the same for all items. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "coroutine", "fiber"})
  void itemsHoldALockAtWhatIsTheSame(String form) throws InterruptedException {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
    String source =
        """
        __device__ void take(int* lock) { while (atomicCAS(lock, 0, 1) != 0) {} __threadfence(); }
        __device__ void give(int* lock) { __threadfence(); atomicExch(lock, 0); }
        #define BEGIN(name) extern "C" __global__ void name(const int* in, int* out) { \\
          __shared__ int lock, sum; int by = 1; if (threadIdx.x == 0) lock = sum = 0; __syncthreads();
        #define END __syncthreads(); out[blockIdx.x * 64 + threadIdx.x] = sum; }
        BEGIN(read) take(&lock); int seen = sum; sum = seen + 1; give(&lock); END
        BEGIN(inlined) while (atomicCAS(&lock, 0, 1) != 0) {} int seen = sum; sum = seen + 1; atomicExch(&lock, 0); END
        BEGIN(changed) for (int k = 0; k < 2; k++) { take(&lock); by += k; sum = sum + by; give(&lock); __syncthreads(); } END
        """;
    Map<String, Integer> wanted = Map.of("read", 64, "inlined", 64, "changed", 192);
    try (FormRun run = new FormRun(form, source, List.copyOf(wanted.keySet()))) {
      for (String name : wanted.keySet()) {
        int[] out = run.run(name, new int[FormRun.COUNT]);
        assertEquals(wanted.get(name), out[70], name + ": " + run.note(name));
      }
    }
  }

  @Test
  void narrowWorkgroupsKeepTheirLoops() {
    assertFalse(isTurned("for (int k = 0; k < n; k++) sum += a[k];", 4));
  }

  /** An operator of a class is not that of numbers, which is seen from what a statement has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | for (int k = 0; k < n; k++) sum += a[k] * a[k * m + x];",
        "true  | for (unsigned long k = 0; k < n; k++) sum += fabsf(a[k] * a[k * blockDim.x + x]);",
        "false | Complex z; for (int k = 0; k < n; k++) { z * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { Complex(1) * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { one() * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { 1_z * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { threadIdx * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { uint(1) * k; sum += a[k * m + x]; }",
        "false | for (int k = 0; k < n; k++) { min(1, 2) * k; sum += a[k * m + x]; }",
        "false | [&](Complex n, int k) { n * k; }; for (int k = 0; k < n; k++) sum += a[k * m + x];",
      })
  void operatorsOfClassesSlowNoOthers(boolean isTurned, String loop) {
    String before =
        "struct Complex { float re; Complex(float); Complex operator*(const int& k) const; };\n"
            + (loop.contains("uint(")
                ? "typedef Complex uint;"
                : "") // no source with it is divided
            + " Complex one(); Complex min(int a, int b);\n"
            + "Complex operator*(uint3 a, const int& b);\n";
    assertEquals(isTurned, isTurned(before, loop, 64));
  }
}
