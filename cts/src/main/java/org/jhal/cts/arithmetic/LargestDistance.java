// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.arithmetic;

import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U64;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.out;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HostMemory;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.cts.arithmetic.DialectFunction.Judgement;

/**
 * The largest distance between a function of floats and the same function of doubles, on the device
 * itself, over many operands: {@code float} has few enough numbers to try all of them on a GPU. How
 * accurate the functions of doubles are, {@link Results#exact} shows.
 *
 * @param units the distance, in units in the last place of a float
 * @param operand the bits of the first operand at which it was found
 * @param nans for how many operands just one of both is NaN
 */
public record LargestDistance(long units, int operand, long nans) {
  private static final int ITEMS = 128;
  private static final int GROUPS = 512;

  private static final String HEAD =
      """
      #include <math.h>
      typedef unsigned long long u64;
      static __device__ long long position(float f) {
        const int bits = __float_as_int(f);
        return bits < 0 ? -(long long)(bits & 0x7fffffff) : bits;
      }
      static __device__ unsigned mixed(unsigned x) {
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        return x ^ x >> 16;
      }
      static __device__ bool is_subnormal(float f) { // or nearly so, before it was rounded
        const unsigned bits = (unsigned)__float_as_int(f) & 0x7fffffffu;
        return bits != 0 && bits <= 0x00800000u;
      }
      // A number of a usual magnitude: those of random bits mostly overflow.
      static __device__ float usual(unsigned x) {
        return (float)(int)mixed(x) * 4.6566e-10f * exp2f((float)((int)(mixed(x + 1) % 24) - 12));
      }
      """;

  private static final String KERNEL =
      """
      extern "C" __global__ void f%d(u64 count, u64 stride, int keeps, u64* results) {
        const unsigned item = blockIdx.x * blockDim.x + threadIdx.x, items = gridDim.x * blockDim.x;
        u64 best = 0, nans = 0;
        for (u64 t = item; t < count; t += items) {
          const unsigned at = (unsigned)(t * stride);
          const bool any = %d == 1 || t %% 2 == 0;
          const float xf = any ? __int_as_float((int)at) : usual(at);
          const float yf = any ? __int_as_float((int)mixed(at + 1)) : usual(at + 2);
          const float zf = any ? __int_as_float((int)mixed(at + 3)) : usual(at + 4);
          if (!keeps && (is_subnormal(xf) || is_subnormal(yf) || is_subnormal(zf))) continue;
          float single, rounded;
          {
            const float x = xf, y = yf, z = zf;
            single = %s;
          }
          {
            const double x = xf, y = yf, z = zf;
            rounded = (float)(%s);
          }
          if (!keeps && is_subnormal(rounded)) continue;
          if ((single != single) != (rounded != rounded)) nans++;
          if (single == single && rounded == rounded) {
            const long long distance = position(single) - position(rounded);
            const u64 units = (u64)(distance < 0 ? -distance : distance);
            const u64 one = (units > 0xffffffffull ? 0xffffffffull : units) << 32 | (unsigned)__float_as_int(xf);
            if (one >> 32 > best >> 32) best = one;
          }
        }
        results[2 * item] = best;
        results[2 * item + 1] = nans;
      }
      """;

  /** Whether there are both functions: it is one of floats, and judged by its distance. */
  static boolean has(DialectFunction function) {
    return function.judgement() == Judgement.NEAR && function.result() == ResultType.F32;
  }

  private static List<DialectFunction> functions() {
    return DialectFunction.all().stream().filter(LargestDistance::has).toList();
  }

  /** The kernels that {@link #of} needs. */
  public static ExecutableSource bundle() {
    List<DialectFunction> functions = functions();
    StringBuilder source = new StringBuilder(HEAD);
    BundleBuilder bundle = ExecutableSource.builder("distances");
    for (int i = 0; i < functions.size(); i++) {
      source.append(kernel(i, functions.get(i)));
      bundle =
          bundle.kernel(
              "f" + i,
              ITEMS,
              constant("count", U64),
              constant("stride", U64),
              constant("keeps", I32),
              out("results", U64));
    }
    return bundle.cpp(source.toString()).build();
  }

  /**
   * Computes the distances of all functions of floats that are judged by their distance.
   *
   * @param bundle that of {@link #bundle}, perhaps with further variants
   * @param count how many operands are tried, evenly spread over the bits of all floats: 1 to 2^32;
   *     without subnormal ones and results if the device lacks {@link Capability#SUBNORMALS}
   * @return the distances, by the names of the functions
   */
  public static Map<String, LargestDistance> of(Device device, ExecutableSource bundle, long count)
      throws InterruptedException {
    List<DialectFunction> functions = functions();
    int keeps = device.capabilities().contains(Capability.SUBNORMALS) ? 1 : 0;
    Map<String, LargestDistance> distances = new LinkedHashMap<>();
    try (Executable kernels = device.loadExecutable(bundle)) {
      for (int i = 0; i < functions.size(); i++) {
        long[] results = new long[2 * ITEMS * GROUPS];
        try (Sequence sequence = device.createSequence()) {
          QueueSteps steps = sequence.on(device.queue(0));
          DeviceBuffer buffer = steps.allocate(U64, results.length);
          Args args = Args.of(count, (1L << 32) / count, keeps, buffer);
          steps.dispatch(kernels.kernel("f" + i), Workgroups.of(GROUPS), args);
          steps.readback(buffer, HostMemory.of(results));
          sequence.await(Duration.ofMinutes(10));
        }
        distances.put(functions.get(i).name(), merged(results));
      }
    }
    return distances;
  }

  private static LargestDistance merged(long[] results) {
    LargestDistance merged = new LargestDistance(0, 0, 0);
    for (int i = 0; i < results.length; i += 2) {
      long units = Math.max(merged.units, results[i] >>> 32);
      int operand = units > merged.units ? (int) results[i] : merged.operand;
      merged = new LargestDistance(units, operand, merged.nans + results[i + 1]);
    }
    return merged;
  }

  private static String kernel(int index, DialectFunction function) {
    String name = function.name();
    String ofFloats = function.expression();
    String ofDoubles =
        ofFloats
            .replace(name + "(", name.substring(0, name.length() - 1) + "(")
            .replace("fabsf(", "fabs(");
    int operands = ofFloats.matches(".*\\by\\b.*") ? 2 : 1;
    return String.format(Locale.ROOT, KERNEL, index, operands, ofFloats, ofDoubles);
  }
}
