// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * Kernels in the language that all compilers of kernels share: warps, cooperative groups, half and
 * bfloat16, vectors, dynamic shared memory, and the include files that belong to it.
 */
@CtsSuite
class DialectKernelTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int COUNT = 2 * ITEMS;

  /** The text of one of the files with kernels. */
  static String read(String name) {
    try (InputStream source =
        DialectKernelTest.class.getResourceAsStream("/org/jhal/cts/kernels/" + name)) {
      return new String(Objects.requireNonNull(source).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ExecutableSource bundle(String text, String kernel, ElementType... results) {
    Parameter[] parameters = new Parameter[1 + results.length];
    parameters[0] = in("in", ElementType.F32);
    for (int i = 0; i < results.length; i++) {
      parameters[1 + i] = out("out" + i, results[i]);
    }
    BundleBuilder builder = ExecutableSource.builder("dialect");
    int shared = kernel.equals("reversed") ? 4 * ITEMS : 0;
    return builder.kernel(kernel, Workgroups.of(ITEMS), shared, parameters).cpp(text).build();
  }

  /** Quarters from -5 to 10.75. */
  private static float value(int i) {
    return (i * 37 % 64 - 20) / 4.0f;
  }

  private static ByteBuffer[] run(Cts cts, String kernel, int values, ElementType... results) {
    cts.needsFormat("gpu-c++");
    return run(cts, bundle(read("dialect.cpp"), kernel, results), kernel, values, results);
  }

  /** Runs a kernel of two workgroups on so many values, and returns each of its results. */
  private static ByteBuffer[] run(
      Cts cts, ExecutableSource source, String kernel, int values, ElementType... results) {
    float[] input = new float[values];
    for (int i = 0; i < values; i++) {
      input[i] = value(i);
    }
    Kernel loaded = cts.closing(cts.device().loadExecutable(source)).kernel(kernel);
    List<DeviceBuffer> buffers = new ArrayList<>(List.of(cts.buffer(floats(input))));
    for (ElementType result : results) {
      buffers.add(cts.buffer(new byte[result.bytes() * COUNT]));
    }
    TimelineSemaphore done = cts.semaphore();
    Args args = Args.of(buffers.toArray());
    cts.queue().dispatch(Fence.NONE, done.at(1), loaded, Workgroups.of(COUNT / ITEMS), args);
    awaitReached(done, 1);
    return buffers.stream()
        .skip(1)
        .map(buffer -> ByteBuffer.wrap(cts.read(buffer)).order(ByteOrder.nativeOrder()))
        .toArray(ByteBuffer[]::new);
  }

  @Test
  @Rule("M8")
  void warpsExchangeValues(Cts cts) {
    ByteBuffer result = run(cts, "warps", COUNT, ElementType.F32)[0];
    for (int group = 0; group < COUNT / ITEMS; group++) {
      assertEquals(total(group * ITEMS, ITEMS), result.getFloat(4 * group), "group " + group);
    }
  }

  @Test
  @Rule("M8")
  void tilesReduceAndScan(Cts cts) {
    ByteBuffer result = run(cts, "tiles", COUNT, ElementType.F32)[0];
    for (int first = 0; first < COUNT; first += 16) {
      for (int i = first; i < first + 16; i++) {
        float wanted = total(first, i - first);
        if (first / 16 % 2 == 1) {
          wanted = -1;
        } else if (i == first) {
          wanted = total(first, 16);
        } else if (i == first + 1) {
          wanted = largest(first);
        }
        assertEquals(wanted, result.getFloat(4 * i), "item " + i);
      }
    }
  }

  /** The sum, which is exact in every order. */
  private static float total(int first, int count) {
    float sum = 0;
    for (int i = first; i < first + count; i++) {
      sum += value(i);
    }
    return sum;
  }

  private static float largest(int first) {
    float most = value(first);
    for (int i = first; i < first + 16; i++) {
      most = Math.max(most, value(i));
    }
    return most;
  }

  @Test
  @Rule("M8")
  void tilesAndGroupsVote(Cts cts) {
    ByteBuffer result = run(cts, "votes", COUNT, ElementType.U32)[0];
    for (int first = 0; first < COUNT; first += 32) {
      int positive = 0;
      for (int i = 0; i < 32; i++) {
        positive |= value(first + i) > 0 ? 1 << i : 0;
      }
      int count = 0;
      for (int i = first / ITEMS * ITEMS; i < first / ITEMS * ITEMS + ITEMS; i++) {
        count += value(i) > 0 ? 1 : 0;
      }
      assertEquals(positive, result.getInt(4 * first), "tile of item " + first);
      for (int i = first + 1; i < first + 32; i++) {
        assertEquals(count << 2 | 2, result.getInt(4 * i), "item " + i);
      }
    }
  }

  @Test
  @Rule("M8")
  void activeLanesAreCountedOnce(Cts cts) {
    ByteBuffer result = run(cts, "active", COUNT, ElementType.U32)[0];
    int positive = 0;
    for (int i = 0; i < COUNT; i++) {
      positive += value(i) > 0 ? 1 : 0;
    }
    assertEquals(positive, result.getInt(0), "items with a positive value");
  }

  @Test
  @Rule("M8")
  void halfAndBfloat16AreRoundedToNearest(Cts cts) {
    ByteBuffer[] results = run(cts, "shorts", COUNT, ElementType.F16, ElementType.BF16);
    for (int i = 0; i < COUNT; i++) {
      float square = value(i) * value(i); // has at most 11 bits, and is a half; of bf16 it has 8
      assertEquals(roundedTo(square + 0.5f, 11), half(results[0].getShort(2 * i)), "item " + i);
      float other = Float.intBitsToFloat(results[1].getShort(2 * i) << 16);
      assertEquals(roundedTo(square, 8), other, "item " + i);
    }
  }

  /** The nearest number with so many significant bits; of two, the even one. */
  private static float roundedTo(float x, int bits) {
    float unit = Math.ulp(x) * (1 << 24 - bits);
    return (float) Math.rint(x / unit) * unit;
  }

  /** The value of a positive normal half. */
  private static float half(short bits) {
    return Float.intBitsToFloat((bits << 13) + ((127 - 15) << 23));
  }

  @Test
  @Rule("M8")
  void tablesInSharedMemoryAreFilledAlongTheirDiagonals(Cts cts) {
    cts.needsFormat("gpu-c++");
    ExecutableSource source = bundle(read("diagonals.cpp"), "diagonals", ElementType.I32);
    ByteBuffer result = run(cts, source, "diagonals", COUNT, ElementType.I32)[0];
    for (int first = 0; first < COUNT; first += ITEMS) {
      int[] row = new int[17];
      for (int x = 0; x <= 16; x++) {
        row[x] = -x;
      }
      for (int y = 1; y <= 16; y++) {
        int[] next = new int[17];
        next[0] = -y;
        for (int x = 1; x <= 16; x++) {
          int same = row[x - 1] + (int) (value(first + y - 1) + value(first + x - 1));
          next[x] = Math.max(same, Math.max(next[x - 1], row[x]) - 1);
        }
        row = next;
      }
      for (int x = 1; x <= 16; x++) {
        assertEquals(row[x], result.getInt(4 * (first + x - 1)), "item " + (first + x - 1));
      }
    }
  }

  @Test
  @Rule("M8")
  void variablesOutsideFunctionsAreInitializedAndKept(Cts cts) {
    cts.needsFormat("gpu-c++");
    Parameter[] parameters = {in("in", ElementType.F32), out("out", ElementType.F32)};
    ExecutableSource source =
        ExecutableSource.builder("variables")
            .kernel("variables", Workgroups.of(ITEMS), 0, parameters)
            .kernel("seen", Workgroups.of(ITEMS), 0, parameters)
            .cpp(read("variables.cpp"))
            .build();
    Executable kernels = cts.closing(cts.device().loadExecutable(source));
    Args args = Args.of(cts.buffer(floats(1, 2, 3, 4)), cts.buffer(new byte[Float.BYTES * COUNT]));
    TimelineSemaphore done = cts.semaphore();
    for (int round = 1; round <= 3; round++) {
      Kernel kernel = kernels.kernel(round == 3 ? "seen" : "variables");
      Fence before = round == 1 ? Fence.NONE : done.at(round - 1);
      cts.queue().dispatch(before, done.at(round), kernel, Workgroups.of(COUNT / ITEMS), args);
      awaitReached(done, round);
      ByteBuffer result = ByteBuffer.wrap(cts.read((DeviceBuffer) args.get(1)));
      result.order(ByteOrder.nativeOrder());
      for (int i = 0; i < COUNT; i++) {
        float wanted = round == 3 ? kept(i) : initial(i);
        assertEquals(wanted, result.getFloat(Float.BYTES * i), "round " + round + ", item " + i);
      }
    }
  }

  /** What a kernel computes with the first values of variables that none changes. */
  private static float initial(int i) {
    int[] bytes = {7, 250, 1};
    return (i % 7 < 6 ? i % 7 / 2.0f : 0) + bytes[i % 3] + (i % 5) * (i % 5) + 30 * 2;
  }

  /** What two dispatches have left in the others. */
  private static float kept(int i) {
    return i < 4 ? (i == 0 ? 0.25f : 0) + 2 * (i + 1) : i == 4 ? 40 + 2 * COUNT : i == 5 ? -6 : 0;
  }

  @Test
  @Rule("M8")
  void vectorsAreLoadedAndStored(Cts cts) {
    ByteBuffer result = run(cts, "vectors", 4 * COUNT, ElementType.F32)[0];
    for (int i = 0; i < COUNT; i++) {
      float wanted = Math.max(value(4 * i) * value(4 * i + 1), value(4 * i + 2) * value(4 * i + 3));
      assertEquals(wanted, result.getFloat(4 * i), "item " + i);
    }
  }

  @Test
  @Rule("M8")
  void dynamicSharedMemoryHasOneAddressForAllTypes(Cts cts) {
    ByteBuffer result = run(cts, "reversed", COUNT, ElementType.F32)[0];
    for (int i = 0; i < COUNT; i++) {
      int other = i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS;
      assertEquals(value(other), result.getFloat(4 * i), "item " + i);
    }
  }

  @Test
  @Rule("M8")
  void constantsAndFastFunctionsAreThere(Cts cts) {
    ByteBuffer result = run(cts, "math", COUNT, ElementType.F64)[0];
    for (int i = 0; i < COUNT; i++) {
      double x = value(i) * value(i) + 1.0;
      double wanted = Math.log(x) + Math.exp(-x) + Math.PI + (1L << 40);
      assertEquals(wanted, result.getDouble(8 * i), 1e-3, "item " + i);
    }
  }

  /** Programs pass types and sizes this way. No header may have such names itself. */
  @Test
  @Rule("M8")
  void optionsMayDefineEachNameOfOneLetter(Cts cts) {
    cts.needsFormat("gpu-c++");
    String body =
        """

        #include <algorithm>
        namespace cg = cooperative_groups;
        extern "C" __global__ void letters(const float* in, int* out) {
          auto tile = cg::tiled_partition<16>(cg::this_thread_block());
          const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
          const float sum = cg::reduce(tile, in[i], cg::plus<float>());
          const float most = __shfl_xor_sync(~0ull, std::max(sum, fabsf(in[i])), 1);
          const __half half = __float2half(most);
          atomicMax(&out[i], (int)(__half2float(half) < FLT_MAX) + N + T + Z);
        }
        """;
    String[] options = new String[26];
    Arrays.setAll(options, i -> "-D" + (char) ('A' + i) + "=" + (i + 1));
    ExecutableSource source =
        ExecutableSource.builder("letters")
            .kernel("letters", ITEMS, in("in", ElementType.F32), out("out", ElementType.I32))
            .cpp(read("includes.cpp") + body, options)
            .build();
    ByteBuffer sums = run(cts, source, "letters", COUNT, ElementType.I32)[0];
    assertBytes(ints(COUNT, i -> 1 + 14 + 20 + 26), sums.array(), "the numbers of N, T and Z");
  }

  @Test
  @Rule("M8")
  void includeFilesMayComeInAnyOrder(Cts cts) {
    cts.needsFormat("gpu-c++");
    String body =
        """

        extern "C" __global__ void sizes(const float* in, int* out) {
          assert(in != NULL);
          const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
          const size_t size = i % 2 == 0 ? sizeof(int64_t) : sizeof(__half);
          out[i] = (int)size + (int)(uint8_t)INT_MAX + (FLT_MAX < INFINITY) + (M_PI > 3);
        }
        """;
    List<String> includes = new ArrayList<>(List.of(read("includes.cpp").split("\n")));
    for (int order = 0; order < 2; order++) {
      ExecutableSource source =
          bundle(String.join("\n", includes) + body, "sizes", ElementType.I32);
      ByteBuffer sizes = run(cts, source, "sizes", COUNT, ElementType.I32)[0];
      assertBytes(ints(COUNT, i -> (i % 2 == 0 ? 8 : 2) + 257), sizes.array(), "order " + order);
      Collections.reverse(includes);
    }
  }
}
