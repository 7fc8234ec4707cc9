// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U32;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.jhal.ExecutableSource;
import org.jhal.Parameter;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.recording.replay.ReplayTool;
import org.jspecify.annotations.Nullable;

/** What tests of recordings share. */
final class Recorded {
  private static final String SAXPY =
      """
      #include "scale.h"
      extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = fmaf(a, x[i], y[i] * SCALE);
      }
      extern "C" __global__ void affine(unsigned n, const int* from, int* to) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = AFFINE;
      }
      """;

  static final String RIGHT = "3 * from[i] + 1";

  private Recorded() {}

  /**
   * A bundle whose kernels in C++ may compute something else than those in Java.
   *
   * @param affine what {@code affine} computes in C++
   */
  static ExecutableSource bundle(String affine) {
    return ExecutableSource.builder("recorded")
        .kernel(
            "saxpy",
            64,
            Parameter.constant("n", U32),
            Parameter.constant("a", F32),
            Parameter.in("x", F32),
            Parameter.inout("y", F32))
        .kernel(
            "affine",
            64,
            Parameter.constant("n", U32),
            Parameter.in("from", I32),
            Parameter.out("to", I32))
        .cpp(SAXPY.replace("AFFINE", affine))
        .file("scale.h", "#define SCALE 1.0f\n")
        .java(Kernels.class)
        .build();
  }

  /** Skips a test on a machine without a compiler, where the device {@code cpu} may not open. */
  static void assumeCompiler() {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
  }

  /** The name of a device that is recorded. */
  static String uri(String of, Path file) {
    return "record://?of=" + of.replace("%", "%25").replace("&", "%26") + "&file=" + file;
  }

  /** The outcome of a replay. */
  record Outcome(int exitCode, String text) {}

  static Outcome replay(Path file, String device, @Nullable String compare, @Nullable Path out)
      throws InterruptedException {
    return replay(file, device, compare, 4, false, Map.of(), null, out);
  }

  /** With some of the options, and all operations once. */
  static Outcome replay(
      Path file,
      String device,
      @Nullable String compare,
      int ulps,
      boolean hasNoise,
      Map<String, Path> substitutes,
      @Nullable Path page,
      @Nullable Path out)
      throws InterruptedException {
    return run(
        new ReplayTool.Options(
            file,
            device,
            compare,
            1,
            0,
            Integer.MAX_VALUE,
            ulps,
            0,
            false,
            false,
            hasNoise,
            substitutes,
            page,
            out,
            "./hal"));
  }

  static Outcome run(ReplayTool.Options options) throws InterruptedException {
    StringWriter text = new StringWriter();
    int exitCode = ReplayTool.of(options).run(new PrintWriter(text), () -> {});
    return new Outcome(exitCode, text.toString());
  }
}
