// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.recording.Recorded.Outcome;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Defects that are planted in one kernel, for one of many dispatches: a comparison names the
 * dispatch, the buffer and the element. {@code -Djhal.recording.rounds=1429} makes 10003
 * dispatches, {@code -Djhal.recording.defects=all} plants all of them, and {@code
 * -Djhal.recording.clean=100} repeats the program without one as often. {@code
 * -Djhal.recording.first=URI} and {@code -Djhal.recording.second=URI} are other devices; what a
 * driver needs that is not on the class path goes into {@code maven.test.additionalClasspath}.
 */
class PlantedDefectsTest {
  private static final int N = 1024;
  private static final int MANY = 1 << 18; // so many that threads add in another order each time
  private static final int WORKGROUP = 64;
  private static final int ROUNDS = Integer.getInteger("jhal.recording.rounds", 30);
  private static final int BAD_ROUND = ROUNDS * 2 / 3;
  private static final int CLEAN_RUNS = Integer.getInteger("jhal.recording.clean", 1);
  private static final String FIRST = System.getProperty("jhal.recording.first", "cpu");
  private static final String SECOND = System.getProperty("jhal.recording.second", "cpu");
  private static final String ATOMIC = "total"; // its results depend on the order of the adds
  private static final int ANY = -1; // of the elements that differ, the first one

  private static final String CODE =
      """
      #define BAD (step == BAD_ROUND)
      #define KERNEL extern "C" __global__ void
      #define I unsigned i = blockIdx.x * blockDim.x + threadIdx.x; unsigned t = threadIdx.x; (void) t
      KERNEL saxpy(int n, int step, float a, const float* x, float* y) {
        I;
        if (i < n) y[i] = fmaf(a, x[i], y[i]);
      }
      KERNEL affine(int n, int step, const unsigned* from, unsigned* to) {
        I;
        if (i < n) to[i] = 3 * from[i] + 1;
      }
      KERNEL sums(int n, int step, const float* x, float* sum) {
        I;
        __shared__ float s[64];
        s[t] = x[i];
        __syncthreads();
        for (int h = 32; h > 0; h /= 2) {
          if (t < h) s[t] += s[t + h];
          __syncthreads();
        }
        if (t == 0) sum[blockIdx.x] = s[0];
      }
      KERNEL rows(int n, int step, const float* x, float* row) {
        I;
        float r = 0;
        for (int j = 0; j < 16; j++) r += x[(16 * i + j) % n];
        row[i] = r;
      }
      KERNEL transpose(int n, int step, const float* x, float* turned) {
        I;
        turned[i % 32 * 32 + i / 32] = x[i];
      }
      KERNEL histogram(int n, int step, const unsigned* v, unsigned* counts) {
        I;
        atomicAdd(&counts[v[i] & 15], 1u);
      }
      KERNEL scale(int n, int step, const float* x, float* scaled) {
        I;
        scaled[i] = x[i] / sqrtf(fabsf(x[i]) + 1.0f);
      }
      KERNEL total(int n, int step, const float* x, float* total) {
        I;
        atomicAdd(&total[i % 4], x[i]);
      }
      """;

  private static final List<String> KERNELS =
      List.of("saxpy", "affine", "sums", "rows", "transpose", "histogram", "scale");

  /**
   * A defect.
   *
   * @param right what is replaced in the code
   * @param wrong what with
   * @param element the first one that differs
   */
  private record Defect(
      String what, String kernel, String buffer, int element, String right, String wrong) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Defect defect(String what, String place, int element, String right, String wrong) {
    String[] parts = place.split("\\.");
    return new Defect(what, parts[0], parts[1], element, right, wrong);
  }

  private static final List<Defect> DEFECTS =
      List.of(
          defect("a wrong factor", "saxpy.y", 100, "fmaf(a,", "fmaf(BAD && i == 100 ? a + 1 : a,"),
          defect("a wrong sign", "saxpy.y", 5, "a, x[i]", "a, BAD && i == 5 ? -x[i] : x[i]"),
          defect("the last element left out", "saxpy.y", 1023, "(i < n) y", "(i < n - BAD) y"),
          defect(
              "not fused",
              "saxpy.y",
              ANY,
              "y[i] = fmaf(a, x[i], y[i])",
              "{ volatile float p = a * x[i]; y[i] = BAD ? p + y[i] : fmaf(a, x[i], y[i]); }"),
          defect("a neighbour is read", "saxpy.y", 64, "a, x[i]", "a, x[BAD && i == 64 ? 63 : i]"),
          defect(
              "a write to the wrong place",
              "saxpy.y",
              9,
              "y[i] = fmaf",
              "y[BAD && i == 9 ? 1000 : i] = fmaf"),
          defect("a wrong constant", "affine.to", 31, "+ 1;", "+ (BAD && i == 31 ? 2 : 1);"),
          defect(
              "a type too narrow",
              "affine.to",
              ANY,
              "= 3 *",
              "= BAD ? (unsigned short) (3 * from[i] + 1) : 3 *"),
          defect(
              "an element not written",
              "affine.to",
              77,
              "(i < n) to",
              "(i < n && !(BAD && i == 77)) to"),
          defect("a wrong offset", "affine.to", 0, "* from[i]", "* from[(i + BAD) % n]"),
          defect(
              "the last workgroup missing",
              "affine.to",
              960,
              "(i < n) to",
              "(i < n && !(BAD && blockIdx.x == gridDim.x - 1)) to"),
          defect(
              "half of each workgroup",
              "affine.to",
              32,
              "(i < n) to",
              "(i < n && !(BAD && t >= 32)) to"),
          defect(
              "a missing barrier",
              "sums.sum",
              0,
              "s[t + h];\n    __syncthreads();",
              "s[t + h];\n    if (!BAD) __syncthreads();"),
          defect("a missing step", "sums.sum", 0, "h = 32;", "h = BAD ? 16 : 32;"),
          defect("an element too near", "sums.sum", 0, "s[t + h];", "s[t + h - BAD];"),
          defect(
              "shared memory not written",
              "sums.sum",
              0,
              "s[t] = x[i];",
              "s[t] = BAD && t == 63 ? 0 : x[i];"),
          defect(
              "a result of another workgroup",
              "sums.sum",
              3,
              "sum[blockIdx.x] =",
              "sum[BAD && blockIdx.x == 3 ? 4 : blockIdx.x] ="),
          defect(
              "float instead of double",
              "rows.row",
              ANY,
              "r += x[(16 * i + j) % n];\n  row[i] = r",
              "r += x[(16 * i + j) % n];\n  double d = 0;\n  for (int j = 0; j < 16; j++) d += x[(16 * i + j) % n];\n  row[i] = BAD ? (float) d : r"),
          defect("a loop too short", "rows.row", 0, "j < 16; j++) r", "j < 16 - BAD; j++) r"),
          defect(
              "another order",
              "rows.row",
              ANY,
              "% n];\n",
              "% n];\n  if (BAD) { r = 0; for (int j = 15; j >= 0; j--) r += x[(16 * i + j) % n]; }\n"),
          defect("a loop that starts late", "rows.row", 0, "j = 0; j < 16", "j = BAD; j < 16"),
          defect("a modulus too small", "rows.row", 1, "% n];", "% (BAD ? 16 : n)];"),
          defect(
              "a row not turned",
              "transpose.turned",
              1,
              "turned[i % 32 * 32 + i / 32]",
              "turned[BAD ? i : i % 32 * 32 + i / 32]"),
          defect("a wrong stride", "transpose.turned", ANY, "* 32 + i", "* (BAD ? 31 : 32) + i"),
          defect(
              "the output is read",
              "transpose.turned",
              ANY,
              "= x[i];\n}\nKERNEL histogram",
              "= BAD && i > 0 ? turned[i] : x[i];\n}\nKERNEL histogram"),
          defect("too few bins", "histogram.counts", ANY, "& 15", "& (BAD ? 7 : 15)"),
          defect("counted twice", "histogram.counts", ANY, "1u)", "BAD && i == 3 ? 2u : 1u)"),
          defect(
              "one left out",
              "histogram.counts",
              ANY,
              "atomicAdd",
              "if (!(BAD && i == 1023)) atomicAdd"),
          defect(
              "an approximation",
              "scale.scaled",
              ANY,
              "x[i] / sqrtf(fabsf(x[i]) + 1.0f)",
              "BAD ? x[i] * (1.0f / sqrtf(fabsf(x[i]) + 1.0f)) : x[i] / sqrtf(fabsf(x[i]) + 1.0f)"),
          defect(
              "not a number",
              "scale.scaled",
              4,
              "= x[i] /",
              "= BAD && i == 4 ? 0.0f / 0.0f : x[i] /"));

  static Stream<Defect> defects() {
    boolean isAll = "all".equals(System.getProperty("jhal.recording.defects"));
    return DEFECTS.stream().filter(defect -> isAll || DEFECTS.indexOf(defect) % 6 == 0);
  }

  @TempDir static Path shared;
  private static Path file;
  private static int recordings;

  private static ExecutableSource bundle(String code) {
    Parameter n = Parameter.constant("n", ElementType.I32);
    Parameter step = Parameter.constant("step", ElementType.I32);
    Parameter x = Parameter.in("x", ElementType.F32);
    return ExecutableSource.builder("planted")
        .kernel(
            "saxpy",
            WORKGROUP,
            n,
            step,
            Parameter.constant("a", ElementType.F32),
            x,
            Parameter.inout("y", ElementType.F32))
        .kernel(
            "affine",
            WORKGROUP,
            n,
            step,
            Parameter.in("from", ElementType.U32),
            Parameter.out("to", ElementType.U32))
        .kernel("sums", WORKGROUP, n, step, x, Parameter.out("sum", ElementType.F32))
        .kernel("rows", WORKGROUP, n, step, x, Parameter.out("row", ElementType.F32))
        .kernel("transpose", WORKGROUP, n, step, x, Parameter.out("turned", ElementType.F32))
        .kernel(
            "histogram",
            WORKGROUP,
            n,
            step,
            Parameter.in("v", ElementType.U32),
            Parameter.inout("counts", ElementType.U32))
        .kernel("scale", WORKGROUP, n, step, x, Parameter.out("scaled", ElementType.F32))
        .kernel(ATOMIC, WORKGROUP, n, step, x, Parameter.inout("total", ElementType.F32))
        .cpp(code.replace("BAD_ROUND", "" + BAD_ROUND))
        .build();
  }

  @BeforeAll
  static void record() throws InterruptedException {
    Recorded.assumeCompiler();
    file = record(KERNELS);
  }

  /** Two queues, and what they exchange. */
  private static Path record(List<String> kernels) throws InterruptedException {
    Path made = shared.resolve("planted" + recordings++ + ".jrec");
    float[] values = new float[N];
    int[] numbers = new int[N];
    for (int i = 0; i < N; i++) {
      values[i] = (float) Math.sin(i + 1);
      numbers[i] = 7 * i + 3;
    }
    try (Device device = Hal.openDevice(Recorded.uri(FIRST + "://?queues=2", made));
        Executable executable = device.loadExecutable(bundle(CODE));
        DeviceBuffer x = device.allocate(ElementType.F32, N);
        DeviceBuffer y = device.allocate(ElementType.F32, N);
        DeviceBuffer from = device.allocate(ElementType.U32, N);
        DeviceBuffer to = device.allocate(ElementType.U32, N);
        DeviceBuffer sum = device.allocate(ElementType.F32, N / WORKGROUP);
        DeviceBuffer row = device.allocate(ElementType.F32, N);
        DeviceBuffer turned = device.allocate(ElementType.F32, N);
        DeviceBuffer counts = device.allocate(ElementType.U32, 16);
        DeviceBuffer scaled = device.allocate(ElementType.F32, N);
        DeviceBuffer many = device.allocate(ElementType.F32, MANY);
        DeviceBuffer total = device.allocate(ElementType.F32, 4);
        Sequence sequence = device.createSequence()) {
      var first = sequence.on(device.queue(0));
      var second = sequence.on(device.queue(1));
      first.upload(HostMemory.of(values), x);
      first.upload(HostMemory.of(values), y);
      first.upload(HostMemory.of(numbers), from);
      first.upload(HostMemory.of(new int[16]), counts);
      first.upload(HostMemory.of(new float[4]), total);
      float[] varied = new float[MANY];
      for (int i = 0; i < MANY; i++) {
        varied[i] = (float) Math.sin(i + 1);
      }
      first.upload(HostMemory.of(varied), many);
      for (int round = 0; round < ROUNDS; round++) {
        for (String name : kernels) {
          Kernel kernel = executable.kernel(name);
          Args args =
              switch (name) {
                case "saxpy" -> Args.of(N, round, round % 2 == 0 ? 0.37f : -0.37f, x, y);
                case "affine" -> Args.of(N, round, from, to);
                case "sums" -> Args.of(N, round, y, sum);
                case "rows" -> Args.of(N, round, y, row);
                case "transpose" -> Args.of(N, round, y, turned);
                case "histogram" -> Args.of(N, round, to, counts);
                case ATOMIC -> Args.of(MANY, round, many, total);
                default -> Args.of(N, round, y, scaled);
              };
          (round % 2 == 0 ? first : second)
              .dispatch(kernel, kernel.covering(name.equals(ATOMIC) ? MANY : N), args);
        }
        second.copy(to, from);
        if (round % 100 == 99) {
          sequence.await();
        }
      }
      float[] read = new float[N];
      first.readback(y, HostMemory.of(read));
      sequence.await();
    }
    return made;
  }

  private static Outcome compare(String second, Map<String, Path> substitutes, boolean hasNoise)
      throws InterruptedException {
    return Recorded.replay(file, FIRST, second, 0, hasNoise, substitutes, null, null);
  }

  @ParameterizedTest
  @MethodSource("defects")
  void isNamed(Defect defect, @TempDir Path folder) throws Exception {
    int begin = CODE.indexOf("KERNEL " + defect.kernel + "(");
    String head = CODE.substring(0, begin);
    String rest = CODE.substring(begin);
    assertTrue(rest.contains(defect.right), "the defect is in the kernel");
    String code =
        head
            + rest.replaceFirst(
                Pattern.quote(defect.right), Matcher.quoteReplacement(defect.wrong));
    write(bundle(code), folder);
    // On cpu, the work items of a workgroup run in step if nothing asks for another way.
    boolean isFiber = SECOND.equals("cpu") && defect.what.contains("barrier");
    String second = isFiber ? "cpu://?barriers=fiber" : SECOND;
    String text = compare(second, Map.of("planted", folder), false).text();
    int dispatch = BAD_ROUND * KERNELS.size() + KERNELS.indexOf(defect.kernel);
    assertTrue(
        text.contains("dispatch " + dispatch + ", planted:" + defect.kernel + ", differs"), text);
    assertTrue(
        text.contains(
            "  " + defect.buffer + "[" + (defect.element == ANY ? "" : defect.element + "]")),
        text);
    assertTrue(text.contains("its inputs are equal"), text);
  }

  private static void write(ExecutableSource bundle, Path folder) throws Exception {
    for (String name : List.of("manifest.json", "code.cpp")) {
      byte[] bytes = bundle.read(name);
      if (bytes != null) {
        Files.write(folder.resolve(name), bytes);
      }
    }
  }

  @Test
  void nothingIsNamedWithoutADefect() throws InterruptedException {
    for (int i = 0; i < CLEAN_RUNS; i++) {
      Outcome outcome = compare(SECOND, Map.of(), false);
      assertEquals(0, outcome.exitCode(), outcome.text());
      outcome = Recorded.replay(file, FIRST, null, null);
      assertEquals(0, outcome.exitCode(), outcome.text());
      if (i < CLEAN_RUNS - 1) {
        file = record(KERNELS); // with another order of the two queues
      }
    }
  }

  /** Sums of floating-point numbers that are added in any order: exactly as far as they vary. */
  @Test
  void noNoiseIsNamed() throws InterruptedException {
    List<String> kernels = new ArrayList<>(KERNELS);
    kernels.add(ATOMIC);
    for (int i = 0; i < CLEAN_RUNS; i++) {
      file = record(kernels);
      Outcome outcome = compare(SECOND, Map.of(), true);
      assertEquals(0, outcome.exitCode(), outcome.text());
    }
    file = record(KERNELS); // for the other tests
  }

  @Test
  void aSubstituteHasTheSameKernels(@TempDir Path folder) throws Exception {
    HalException refused =
        assertThrows(HalException.class, () -> compare(SECOND, Map.of("other", folder), false));
    assertTrue(
        refused.getMessage().contains("no bundle 'other'; it has [planted]"), refused.getMessage());
    write(Recorded.bundle(Recorded.RIGHT), folder);
    refused =
        assertThrows(HalException.class, () -> compare(SECOND, Map.of("planted", folder), false));
    assertTrue(refused.getMessage().contains("does not declare the kernels"), refused.getMessage());
  }
}
