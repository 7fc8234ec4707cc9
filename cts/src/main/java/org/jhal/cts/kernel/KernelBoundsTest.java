// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.Waits.isReachedUnlessFound;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Kernels over a number of elements that is no multiple of anything: none is forgotten, and none
 * behind the last one is read or written.
 */
@CtsSuite
class KernelBoundsTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int LENGTH = 320; // of the buffers, in elements

  /** Around multiples of a vector, of a workgroup and of two. */
  private static final int[] COUNTS = {0, 1, 2, 3, 5, 31, 62, 63, 64, 65, 66, 127, 128, 129, 255};

  private static final float BEHIND = -7; // what a kernel does not write

  /** Each adds 1 to the first n elements, however many workgroups there are. */
  private static final Map<String, String> BODIES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("guarded", "int i = AT; if (i < n) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "guarded_otherwise", "int i = AT; if (n <= i) {} else out[i] = in[i] + 1.0f;"),
              Map.entry("returning", "int i = AT; if (i >= n) return; out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "unsigned_guard", "unsigned i = AT; if (i < (unsigned)n) out[i] = in[i] + 1.0f;"),
              Map.entry("at_most", "int i = AT; if (i <= n - 1) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_by_a_number",
                  "int x = threadIdx.x; for (int i = x; i < n; i += 64) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_by_a_workgroup",
                  "for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_to_the_last",
                  "for (int i = threadIdx.x; i <= n - 1; i += 64) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_unsigned",
                  "for (unsigned i = AT; i < (unsigned)n; i += 64u * gridDim.x) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_by_the_grid",
                  "for (int i = AT; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] + 1.0f;"),
              Map.entry(
                  "striding_long",
                  "for (long long i = AT; i < n; i += 64) out[i] = in[i] + 1.0f;"
                      + " if (blockIdx.x > 0) return;"),
              Map.entry(
                  "adding_up",
                  "float sum = 0.0f; int x = threadIdx.x;"
                      + " for (int i = x; i < n; i += 64) sum += in[i] - in[i];"
                      + " for (int i = AT; i < n; i += 64 * gridDim.x) out[i] = in[i] + 1.0f + sum;"),
              Map.entry(
                  "in_vectors",
                  "int x = threadIdx.x; const float4* from = (const float4*)in; float4* to = (float4*)out;"
                      + " for (int i = x; i < n / 4; i += 64) {"
                      + " float4 v = from[i]; v.x += 1.0f; v.y += 1.0f; v.z += 1.0f; v.w += 1.0f; to[i] = v; }"
                      + " if (x < n % 4) out[n / 4 * 4 + x] = in[n / 4 * 4 + x] + 1.0f;"),
              Map.entry(
                  "over_a_barrier",
                  "__shared__ float tile[64]; int i = AT; tile[threadIdx.x] = i < n ? in[i] : 0.0f;"
                      + " __syncthreads(); if (i < n) out[i] = tile[threadIdx.x] + 1.0f;"),
              Map.entry(
                  "ending_before_a_barrier",
                  "__shared__ float tile[64]; int i = AT; if (i >= n) return; tile[threadIdx.x] = in[i];"
                      + " __syncthreads(); out[i] = tile[threadIdx.x] + 1.0f;")));

  private static ExecutableSource source() {
    BundleBuilder bundle = ExecutableSource.builder("bounds");
    StringBuilder text = new StringBuilder("#define AT (blockIdx.x * blockDim.x + threadIdx.x)\n");
    BODIES.forEach(
        (name, body) -> {
          bundle.kernel(name, ITEMS, constant("n", I32), in("in", F32), inout("out", F32));
          text.append(
              "extern \"C\" __global__ void %s(int n, const float* in, float* out) {\n%s\n}\n"
                  .formatted(name, body));
        });
    return bundle.cpp(text.toString()).build();
  }

  private static byte[] expected(int count) {
    float[] expected = new float[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      expected[i] = i < count ? 2 * i + 1 : BEHIND;
    }
    return floats(expected);
  }

  private static byte[] input(int count) {
    float[] input = new float[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      input[i] = i < count ? 2 * i : Float.NaN;
    }
    return floats(input);
  }

  @Test
  @Rule("M8")
  void noElementIsForgottenAndNoneBehindTheLastIsTouched(Cts cts) {
    cts.needsFormat("gpu-c++");
    Executable kernels = cts.closing(cts.device().loadExecutable(source()));
    Map<Timepoint, Runnable> checks = new LinkedHashMap<>();
    for (int count : COUNTS) {
      DeviceBuffer in = cts.buffer(input(count));
      for (String name : BODIES.keySet()) {
        DeviceBuffer out = cts.buffer(expected(0));
        TimelineSemaphore done = cts.semaphore();
        // As few workgroups as needed, or one that has nothing to do.
        Workgroups grid = Workgroups.of((count + ITEMS - 1) / ITEMS + (count % 2 == 0 ? 1 : 0));
        Args args = Args.of(count, in, out);
        cts.queue().dispatch(Fence.NONE, done.at(1), kernels.kernel(name), grid, args);
        checks.put(
            done.at(1), () -> assertBytes(expected(count), cts.read(out), name + " of " + count));
      }
    }
    checks.forEach(
        (end, check) -> {
          if (isReachedUnlessFound(end)) {
            check.run();
          }
        });
  }
}
