// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The language of kernels. */
class KernelTest {
  private static final int[] ONE = {1, 1, 1};
  private static TinyDevice device;

  @BeforeAll
  static void build() {
    device = new TinyDevice();
  }

  @BeforeEach
  void open() {
    device.open();
  }

  @AfterEach
  void noMisuse() {
    assertEquals(List.of(), device.simulator.misuses());
    device.simulator.reset();
  }

  private static int[] shape(int x, int y, int z) {
    return new int[] {x, y, z};
  }

  @Test
  void aTiledProductOfMatrices() {
    String source =
        """
        extern "C" __global__ void product(int n, const int* a, const int* b, int* c) {
          __shared__ int left[16][16];
          __shared__ int right[16][16];
          int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
          int sum = 0;
          for (int tile = 0; tile < n; tile += 16) {
            left[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
            right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
            __syncthreads();
            for (int i = 0; i < 16; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
            __syncthreads();
          }
          c[row * n + column] = sum;
        }
        """;
    int n = 48;
    int[] a = IntStream.range(0, n * n).map(i -> i * 7 % 13).toArray();
    int[] b = IntStream.range(0, n * n).map(i -> i * 5 % 11).toArray();
    long c = device.ints(new int[n * n]);
    int[] grid = shape(3, 3, 1);
    int[] block = shape(16, 16, 1);
    assertEquals(
        0, device.run(source, "product", grid, block, 0, n, device.ints(a), device.ints(b), c));
    int[] expected = new int[n * n];
    for (int i = 0; i < n * n; i++) {
      for (int k = 0; k < n; k++) {
        expected[i] += a[i / n * n + k] * b[k * n + i % n];
      }
    }
    assertArrayEquals(expected, device.read(c, n * n));
  }

  @Test
  void aReductionWithDynamicSharedMemoryAndAtomics() {
    String source =
        """
        extern __shared__ int partial[];
        extern "C" __global__ void total(const int* values, int n, int* sum) {
          unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
          partial[threadIdx.x] = i < n ? values[i] : 0;
          for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
          }
          if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
        }
        """;
    int[] values = IntStream.range(0, 1000).toArray();
    long sum = device.ints(0);
    int[] grid = shape(8, 1, 1);
    int[] block = shape(128, 1, 1);
    assertEquals(
        0, device.run(source, "total", grid, block, 512, device.ints(values), values.length, sum));
    assertEquals(499_500, device.read(sum, 1)[0]);
  }

  @Test
  void threadsThatHaveReturnedDoNotBlockABarrier() {
    String source =
        """
        extern "C" __global__ void leave(int* out) {
          extern __shared__ int seen[];
          if (threadIdx.x >= 5) return;
          seen[threadIdx.x] = threadIdx.x + 1;
          __syncthreads();
          if (threadIdx.x == 1) return;
          __syncthreads();
          atomicAdd(&out[blockIdx.x], seen[4 - threadIdx.x]);
        }
        """;
    long out = device.ints(0, 0, 0);
    assertEquals(0, device.run(source, "leave", shape(3, 1, 1), shape(9, 1, 1), 64, out));
    assertArrayEquals(new int[] {11, 11, 11}, device.read(out, 3));
  }

  @Test
  void indicesGoThroughAllDimensions() {
    String source =
        """
        #define KERNEL(name) __global__ void name
        extern "C" {
        #ifdef NOT_HERE
        __global__ void absent(int* out) {}
        #endif
        KERNEL(indices)(int* out) {
          unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
          unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          out[block * blockDim.x * blockDim.y * blockDim.z + thread] += block * 100 + thread;
        }
        }
        """;
    long out = device.ints(new int[24 * 6]);
    assertEquals(0, device.run(source, "indices", shape(2, 3, 4), shape(3, 1, 2), 0, out));
    int[] expected = IntStream.range(0, 24 * 6).map(i -> i / 6 * 100 + i % 6).toArray();
    assertArrayEquals(expected, device.read(out, 24 * 6));
  }

  @Test
  void atomicsOfAllTypes() {
    String source =
        """
        extern "C" __global__ void all(int* out) {
          __shared__ float f;
          __shared__ double d;
          __shared__ unsigned long long u;
          f = 1; d = 1; u = 1;
          atomicAdd(&f, 2);
          atomicAdd(&d, 2.5);
          atomicMax(&u, 7);
          out[0] = (int)f;
          out[1] = (int)(2 * d);
          out[2] = (int)atomicExch(&u, 9ull);
          out[3] = (int)atomicCAS(&u, 9ull, 11ull) + (int)u;
          out[4] = -5;
          out[5] = atomicMin(&out[4], -6) * atomicSub(&out[4], 1);
          out[6] = max(3, min(5, 4)) + (int)fmaxf(1.5f, 2.5f) + (int)sqrtf(81.0f) + abs(-1);
          out[7] = __float_as_int(1.0f);
        }
        """;
    long out = device.ints(new int[8]);
    assertEquals(0, device.run(source, "all", ONE, ONE, 0, out));
    assertArrayEquals(new int[] {3, 7, 7, 20, -7, 30, 16, 0x3F800000}, device.read(out, 8));
  }

  @Test
  void aTrapInABarrierLosesTheDeviceUntilItIsOpenedAgain() {
    String source =
        """
        extern "C" __global__ void broken(int* out) {
          __syncthreads();
          if (threadIdx.x == 3) __trap();
          __syncthreads();
          out[threadIdx.x] = 1;
        }
        """;
    long out = device.ints(new int[8]);
    assertEquals(719, device.run(source, "broken", ONE, shape(8, 1, 1), 0, out));
    assertEquals(719, device.code("tinyAlloc", new long[1], 8L));
    device.open();
    out = device.ints(new int[8]);
    assertEquals(0, device.run(source, "broken", ONE, shape(3, 1, 1), 0, out));
    assertArrayEquals(new int[] {1, 1, 1, 0, 0, 0, 0, 0}, device.read(out, 8));
  }

  @Test
  void aKernelThatWritesBeyondItsMemoryFails() {
    String source =
        """
        extern "C" __global__ void beyond(int* out, int at) {
          out[at] = 1;
        }
        """;
    long out = device.ints(new int[64]);
    assertEquals(0, device.run(source, "beyond", ONE, ONE, 0, out, 63));
    assertEquals(700, device.run(source, "beyond", ONE, ONE, 0, out, 64));
  }
}
