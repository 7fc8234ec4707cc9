// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.U32;
import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.arithmetic.Comparison;
import org.jhal.cts.arithmetic.Comparison.Scope;
import org.jhal.cts.arithmetic.DialectFunction;
import org.jhal.cts.arithmetic.DialectFunction.Judgement;
import org.jhal.cts.arithmetic.FunctionRun;
import org.jhal.cts.arithmetic.Operands;
import org.jhal.cts.arithmetic.Results;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The functions, operators and conversions of kernels in C++, over special and random operands that
 * no compiler knows. They have the results that a GPU has, or are as near to the exact ones as the
 * list of functions says.
 */
@CtsSuite
class ArithmeticTest {
  private static final String INTEGERS =
      """
      static __device__ float number(int k) { return (float)k; }
      #define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
      extern "C" __global__ void assigned(const float* from, float* to) {
        int k;
        k = from[ITEM];
        to[ITEM] = k;
      }
      extern "C" __global__ void passed(const float* from, float* to) {
        to[ITEM] = number(from[ITEM]);
      }
      extern "C" __global__ void narrow(const float* from, float* to) {
        short k;
        k = from[ITEM];
        to[ITEM] = k;
      }
      extern "C" __global__ void stored(const float* from, float* to) {
        __shared__ int all[64];
        all[threadIdx.x] = from[ITEM];
        __syncthreads();
        int4 k;
        k.y = from[ITEM];
        float own = k.y;
        float again = all[threadIdx.x];
        to[ITEM] = 1 / own == 1 / again ? own : 1000;
      }
      extern "C" __global__ void wide(const float* from, float* to) {
        double number = from[ITEM];
        long long k;
        k = number;
        double again = k;
        to[ITEM] = (float)again;
      }
      extern "C" __global__ void rounded(const float* from, float* to) {
        int k;
        k = rintf(from[ITEM]);
        to[ITEM] = k;
      }
      extern "C" __global__ void floored(const float* from, float* to) {
        int k = (int)floorf(from[ITEM] == 0 ? -0.f : from[ITEM]);
        to[ITEM] = (float)k;
      }
      """;

  @ParameterizedTest
  @EnumSource
  @Rule("M10")
  void functionsHaveOneMeaning(Operands operands, Cts cts)
      throws IOException, InterruptedException {
    cts.needsFormat("gpu-c++");
    List<DialectFunction> functions = new ArrayList<>(DialectFunction.all());
    functions.removeIf(
        function -> function.operands() != operands || function.judgement() == Judgement.OPEN);
    try {
      assertRight(cts, functions, Scope.required(cts.device()).withoutSaturation());
    } catch (HalException e) {
      // Some of the numbers are too large for the integers; a device may find that wrong.
      if (operands != Operands.CONVERSIONS || e.findings().isEmpty()) {
        throw e;
      }
    }
  }

  @Test
  @Needs(capabilities = Capability.SATURATING_CASTS)
  @Rule("M10")
  void castsSaturate(Cts cts) throws IOException, InterruptedException {
    cts.needsFormat("gpu-c++");
    List<DialectFunction> functions = new ArrayList<>(DialectFunction.all());
    functions.removeIf(function -> function.judgement() != Judgement.INSIDE);
    assertRight(cts, functions, Scope.required(cts.device()));
  }

  /** An integer has no negative zero, whatever it was made of, and no fraction. */
  @Test
  @Rule("M10")
  void anIntegerKeepsNothingOfTheNumberThatItWas(Cts cts) throws InterruptedException {
    cts.needsFormat("gpu-c++");
    int count = 256;
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = (i - count / 2) / 64f;
    }
    Map<String, DoubleUnaryOperator> functions =
        Map.of(
            "assigned", x -> x,
            "passed", x -> x,
            "narrow", x -> x,
            "stored", x -> x,
            "wide", x -> x,
            "rounded", Math::rint,
            "floored", Math::floor);
    BundleBuilder bundle = ExecutableSource.builder("integers");
    for (String name : functions.keySet()) {
      bundle.kernel(name, 64, Parameter.in("from", F32), Parameter.out("to", F32));
    }
    Device device = cts.device();
    try (Executable kernels = device.loadExecutable(bundle.cpp(INTEGERS).build());
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer from = steps.allocate(F32, count);
      steps.upload(HostMemory.of(numbers), from);
      for (Map.Entry<String, DoubleUnaryOperator> function : functions.entrySet()) {
        String name = function.getKey();
        float[] results = results(sequence, steps, kernels.kernel(name), from, count);
        for (int i = 0; i < count; i++) {
          String what = name + " of " + numbers[i];
          int whole = (int) function.getValue().applyAsDouble(numbers[i]);
          assertEquals((float) whole, results[i], what); // 0 and -0 differ
        }
      }
    }
  }

  /** Each half, the middle between it and the next one with its neighbours, and what is beyond. */
  @Test
  @Rule("M10")
  void aFloatIsRoundedToAHalfAndBack(Cts cts) throws InterruptedException {
    cts.needsFormat("gpu-c++");
    int infinity = 0x7C00;
    float[] beyond = {65536, 70000, Float.MAX_VALUE, Float.POSITIVE_INFINITY};
    float[] numbers = new float[4 * infinity + 64];
    float[] rounded = new float[numbers.length];
    Arrays.fill(numbers, 4 * infinity, numbers.length, Float.NaN);
    Arrays.fill(rounded, 4 * infinity, rounded.length, Float.NaN);
    for (int i = 0; i < beyond.length; i++) {
      int at = 4 * infinity + 2 * i;
      numbers[at] = beyond[i];
      rounded[at] = Float.POSITIVE_INFINITY;
      numbers[at + 1] = -beyond[i];
      rounded[at + 1] = Float.NEGATIVE_INFINITY;
    }
    for (int half = 0; half < infinity; half++) {
      float sign = half % 3 == 0 ? -1 : 1;
      float own = ofHalf(half);
      float next = ofHalf(half + 1);
      float middle = own + (next - own) / 2;
      float nextOrInfinity = half + 1 == infinity ? Float.POSITIVE_INFINITY : next;
      float[] from = {own, Math.nextDown(middle), middle, Math.nextUp(middle)};
      float[] to = {own, own, half % 2 == 0 ? own : nextOrInfinity, nextOrInfinity};
      for (int i = 0; i < from.length; i++) {
        numbers[4 * half + i] = sign * from[i];
        rounded[4 * half + i] = sign * to[i];
      }
    }
    ExecutableSource bundle =
        ExecutableSource.builder("halves")
            .kernel("back", 64, Parameter.in("from", F32), Parameter.out("to", F32))
            .cpp(DialectKernelTest.read("halves.cpp"))
            .build();
    Device device = cts.device();
    float[] results;
    try (Executable kernels = device.loadExecutable(bundle);
        Sequence sequence = device.createSequence()) {
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer from = steps.allocate(F32, numbers.length);
      steps.upload(HostMemory.of(numbers), from);
      results = results(sequence, steps, kernels.kernel("back"), from, numbers.length);
    }
    for (int i = 0; i < numbers.length; i++) {
      assertEquals(rounded[i], results[i], "the half of " + numbers[i]);
    }
  }

  /** Compilers make one instruction of both halves, and may take the wrong one. */
  @ParameterizedTest
  @ValueSource(strings = {"of_half", "of_bfloat16"})
  @Rule("M10")
  void aPairHasWhatItsHalvesHave(String kernel, Cts cts) throws InterruptedException {
    cts.needsFormat("gpu-c++");
    int count = 256;
    String source = DialectKernelTest.read("pairs.cpp");
    List<String> functions = new ArrayList<>();
    Pattern.compile("(?:ONE|TWO|THREE)\\((h\\w+|__h\\w+), \\w+\\)")
        .matcher(source)
        .results()
        .forEach(found -> functions.add(found.group(1)));
    Parameter[] parameters = {
      Parameter.in("a", U32),
      Parameter.in("b", U32),
      Parameter.in("c", U32),
      Parameter.out("pairs", U32),
      Parameter.out("halves", U32)
    };
    ExecutableSource bundle =
        ExecutableSource.builder("pairs").kernel(kernel, 64, parameters).cpp(source).build();
    Random random = new Random(1);
    int[][] results = {new int[functions.size() * count], new int[functions.size() * count]};
    try (Executable kernels = cts.device().loadExecutable(bundle);
        Sequence sequence = cts.device().createSequence()) {
      QueueSteps steps = sequence.on(cts.device().queue(0));
      List<DeviceBuffer> buffers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        buffers.add(steps.allocate(U32, count));
        int[] numbers = random.ints(count).map(bits -> nearOne(kernel, bits)).toArray();
        steps.upload(HostMemory.of(numbers), buffers.get(i));
      }
      buffers.add(steps.allocate(U32, results[0].length));
      buffers.add(steps.allocate(U32, results[0].length));
      Args args = Args.of(buffers.toArray());
      steps.dispatch(kernels.kernel(kernel), Workgroups.of(count / 64), args);
      steps.readback(buffers.get(3), HostMemory.of(results[0]));
      steps.readback(buffers.get(4), HostMemory.of(results[1]));
      sequence.await(Waits.LIMIT);
    }
    for (int i = 0; i < results[0].length; i++) {
      String what = functions.get(i / count) + " of pair " + i % count;
      assertEquals(Integer.toHexString(results[1][i]), Integer.toHexString(results[0][i]), what);
    }
  }

  /** Two numbers of 16 bits from 1/2 to 2, or their negatives. */
  private static int nearOne(String kernel, int bits) {
    return kernel.equals("of_half")
        ? bits & 0x87FF87FF | 0x38003800
        : bits & 0x80FF80FF | 0x3F003F00;
  }

  /** A half, or 2^16 for infinity. */
  private static float ofHalf(int bits) {
    int exponent = Math.max(bits >> 10, 1);
    int digits = bits >> 10 == 0 ? bits : 1 << 10 | bits & 0x3FF;
    return Math.scalb((float) digits, exponent - 25);
  }

  /** What a kernel computes from each of {@code count} numbers, in workgroups of 64 items. */
  private static float[] results(
      Sequence sequence, QueueSteps steps, Kernel kernel, DeviceBuffer from, int count)
      throws InterruptedException {
    DeviceBuffer to = steps.allocate(F32, count);
    float[] results = new float[count];
    steps.dispatch(kernel, Workgroups.of(count / 64), Args.of(from, to));
    steps.readback(to, HostMemory.of(results));
    sequence.await(Waits.LIMIT);
    return results;
  }

  @Test
  @Rule("M10")
  void portableArithmeticFusesNoProducts(Cts cts) throws InterruptedException {
    cts.needsFormat("gpu-c++");
    List<DialectFunction> functions = new ArrayList<>(DialectFunction.all());
    functions.removeIf(function -> !function.name().equals("x*y+z"));
    Map<String, long[]> results =
        FunctionRun.run(
            cts.device(),
            FunctionRun.bundle(functions)
                .portableArithmetic()
                .cpp(FunctionRun.source(functions))
                .build(),
            functions);
    long[] sums = Objects.requireNonNull(results.get("x*y+z"));
    Operands.Tuples tuples = Operands.FLOATS.tuples();
    boolean keepsSubnormals = cts.device().capabilities().contains(Capability.SUBNORMALS);
    for (int i = 0; i < Operands.COUNT; i++) {
      float x = Float.intBitsToFloat(tuples.a()[i]);
      float y = Float.intBitsToFloat(tuples.b()[i]);
      float z = Float.intBitsToFloat(tuples.c()[i]);
      float result = Float.intBitsToFloat((int) sums[i]);
      if (!keepsSubnormals
          && DoubleStream.of(x, y, z, x * y, x * y + z).anyMatch(ArithmeticTest::isSubnormal)) {
        continue;
      }
      String what = "tuple %s: %s * %s + %s".formatted(i, x, y, z);
      assertEquals(x * y + z, result, what); // Java rounds twice
    }
  }

  private static boolean isSubnormal(double number) {
    return number != 0 && Math.abs(number) < Float.MIN_NORMAL;
  }

  @Test
  @Rule("M10")
  void whatContradictsPortableArithmeticIsRefused(Cts cts) {
    cts.needsFormat("gpu-c++");
    ExecutableSource fast =
        FunctionRun.bundle(DialectFunction.all().subList(0, 1))
            .portableArithmetic()
            .cpp("extern \"C\" __global__ void compute0() {}", "-ffast-math")
            .build();
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.device().loadExecutable(fast),
        "'-ffast-math'",
        "portable arithmetic");
  }

  private static void assertRight(Cts cts, List<DialectFunction> functions, Scope scope)
      throws IOException, InterruptedException {
    Results measured = Results.measured();
    Results exact = Results.exact();
    Map<String, long[]> results = FunctionRun.run(cts.device(), functions);
    List<String> wrong = new ArrayList<>();
    for (DialectFunction function : functions) {
      Comparison comparison =
          Comparison.of(
              function,
              Objects.requireNonNull(results.get(function.name())),
              measured,
              exact,
              scope);
      if (comparison.different() > 0) {
        wrong.add(
            "%s: %s of %s results are wrong; %s"
                .formatted(
                    function.name(), comparison.different(), Operands.COUNT, comparison.example()));
      }
    }
    if (!wrong.isEmpty()) {
      fail(String.join("\n", wrong));
    }
  }
}
