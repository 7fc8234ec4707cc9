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
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
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
