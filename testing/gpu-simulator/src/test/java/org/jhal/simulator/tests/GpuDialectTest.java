// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.NativeCode;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.kit.ProbeJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * How kernels in C++ end on a simulator, and what they leave. That they compute what they should is
 * tested by the suite.
 */
@Timeout(120)
class GpuDialectTest {
  private static final int ITEMS = 64; // of a workgroup

  private static final String SOURCE =
      """
      #include <assert.h>

      extern "C" __global__ void printing(const float* in, float* out) {
        if (threadIdx.x == 3) printf("item %d of %s has %.2f\\n", threadIdx.x, "all", 6.75);
        out[threadIdx.x] = in[threadIdx.x];
      }

      extern "C" __global__ void asserting(const float* in, float* out) {
        assert(in[threadIdx.x] > 1000.0f);
        out[threadIdx.x] = 1;
      }

      extern "C" __global__ void trapping(const float* in, float* out) {
        if (in[threadIdx.x] < 1000.0f) __trap();
        out[threadIdx.x] = 1;
      }
      """;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  /** The bundle, with one kernel. */
  static ExecutableSource bundle(String kernel) {
    return ExecutableSource.builder("dialect")
        .kernel(kernel, ITEMS, in("in", ElementType.F32), out("out", ElementType.F32))
        .cpp(SOURCE)
        .build();
  }

  /** A bundle whose kernel has one workgroup of this size, which writes numbers. */
  private static ExecutableSource bundle(String kernel, int items, String source) {
    return ExecutableSource.builder("dialect")
        .kernel(kernel, items, out("out", ElementType.I32))
        .cpp(source)
        .build();
  }

  private Device open() {
    return sim.open(sim.driver().name() + "://0?close-timeout=200ms");
  }

  /** Runs a kernel of one workgroup on zeros. */
  static void run(Device device, String kernel, TimelineSemaphore done) {
    try (Executable loaded = device.loadExecutable(bundle(kernel));
        DeviceBuffer from = device.allocate(4L * ITEMS, BufferParams.DEVICE);
        DeviceBuffer to = device.allocate(4L * ITEMS, BufferParams.DEVICE)) {
      device.queue(0).fill(Fence.NONE, done.at(1), from, 0, 4L * ITEMS, FillPattern.ZERO);
      Args args = Args.of(from, to);
      device
          .queue(0)
          .dispatch(done.at(1), done.at(2), loaded.kernel(kernel), Workgroups.of(1), args);
    }
  }

  @Test
  void endsWithTheCodeOfAnAssertionOrATrap() {
    for (Map.Entry<String, Integer> wanted : Map.of("asserting", 710, "trapping", 719).entrySet()) {
      try (Device device = open();
          TimelineSemaphore done = device.createSemaphore(0)) {
        run(device, wanted.getKey(), done);
        HalException failure = awaitFailure(done, 2);
        NativeCode code = failure.nativeCode();
        assertNotNull(code, failure::toString);
        assertEquals((int) wanted.getValue(), code.value(), failure::toString);
      }
      sim.simulator().reset();
    }
  }

  /** A real device may hang here, or go on with any value. */
  @Test
  void failsWhereLanesOfAMaskDoNotCome() {
    String source =
        """
        extern "C" __global__ void alone(int* out) {
          int value = threadIdx.x;
          if (value < 8) value = __shfl_sync(0xFFFF, value, 0);
          __syncthreads();
          out[threadIdx.x] = value;
        }
        """;
    try (Device device = open();
        Executable loaded = device.loadExecutable(bundle("alone", 32, source));
        DeviceBuffer to = device.allocate(4 * 32, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device
          .queue(0)
          .dispatch(Fence.NONE, done.at(1), loaded.kernel("alone"), Workgroups.of(1), Args.of(to));
      HalException failure = awaitFailure(done, 1);
      assertTrue(failure.toString().contains("719"), failure::toString);
    }
    List<String> misuses = sim.simulator().misuses();
    assertTrue(misuses.toString().contains("waits for the lanes 0xffff"), misuses::toString);
    sim.simulator().reset();
  }

  @Test
  void activeLanesOfTwoBranchesAreTwoGroups() {
    String source =
        """
        extern "C" __global__ void branches(int* out) {
          unsigned long long mask;
          if (threadIdx.x % 2 == 0) mask = __activemask(); else mask = __activemask();
          out[threadIdx.x] = (int)mask;
        }
        """;
    try (Device device = open();
        Executable loaded = device.loadExecutable(bundle("branches", 32, source));
        DeviceBuffer to = device.allocate(4 * 32, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      int[] masks = new int[32];
      DeviceQueue queue = device.queue(0);
      queue.dispatch(
          Fence.NONE, done.at(1), loaded.kernel("branches"), Workgroups.of(1), Args.of(to));
      queue.readback(done.at(1), done.at(2), to, 0, HostMemory.of(masks));
      awaitReached(done, 2);
      for (int lane = 0; lane < 32; lane++) {
        assertEquals(lane % 2 == 0 ? 0x55555555 : 0xAAAAAAAA, masks[lane], "lane " + lane);
      }
    }
  }

  /** As in CUDA, whose functions exist for int and larger numbers; some of AMD's are templates. */
  @Test
  void narrowNumbersBecomeIntsWhereTheyDoOnDevices() {
    String source =
        """
        #ifdef __HIPCC_RTC__
        #define KEPT 1
        #else
        #define KEPT 4
        #endif
        extern "C" __global__ void narrow(int* out) {
          unsigned char byte = 200 + threadIdx.x % 2;
          auto sum = __reduce_add_sync(~0ull, byte);
          auto bits = __reduce_and_sync(~0ull, byte);
          auto other = __shfl_xor_sync(~0ull, byte, 1);
          int right = sum == 401 * warpSize / 2 && bits - 201 > 0 && sizeof(other) == KEPT;
          #ifdef __HIPCC_RTC__
          auto unmasked = __shfl_xor(byte, 1);
          right &= sizeof(unmasked) == 4 && unmasked + 1 == 202 - threadIdx.x % 2;
          #endif
          out[threadIdx.x] = right * 1000 + other;
        }
        """;
    try (Device device = open();
        Executable loaded = device.loadExecutable(bundle("narrow", 64, source));
        DeviceBuffer to = device.allocate(4 * 64, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      int[] written = new int[64];
      DeviceQueue queue = device.queue(0);
      queue.dispatch(
          Fence.NONE, done.at(1), loaded.kernel("narrow"), Workgroups.of(1), Args.of(to));
      queue.readback(done.at(1), done.at(2), to, 0, HostMemory.of(written));
      awaitReached(done, 2);
      for (int item = 0; item < 64; item++) {
        assertEquals(1201 - item % 2, written[item], "item " + item);
      }
    }
  }

  /** Each module must be unloaded: the library of the next one may get its name. */
  @Test
  void unloadsSharedMemoryOfTemplates() {
    String source =
        """
        template <class T> __device__ T other(T value) {
          __shared__ T values[2];
          values[threadIdx.x] = value;
          __syncthreads();
          return values[1 - threadIdx.x];
        }
        extern "C" __global__ void swapped%d(int* out) { out[threadIdx.x] = other((int)threadIdx.x); }
        """;
    try (Device device = open()) {
      for (int i = 0; i < 3; i++) {
        device
            .loadExecutable(bundle("swapped" + i, 2, String.format(Locale.ROOT, source, i)))
            .close();
        awaitTrue("the module to be unloaded", () -> !sim.live().containsKey("module"));
      }
    }
  }

  @Test
  void prints(@TempDir Path folder) throws Exception {
    List<String> lines =
        new ProbeJvm(folder, Map.of(), Map.of(), Printing.class, sim.driver().name() + "://0")
            .lines();
    assertTrue(lines.contains("item 3 of all has 6.75"), lines::toString);
  }

  /** A process whose output is what a kernel prints. */
  public static final class Printing {
    private Printing() {}

    /** Its argument is a device. */
    public static void main(String[] args) {
      try (Device device = Hal.openDevice(args[0]);
          TimelineSemaphore done = device.createSemaphore(0)) {
        run(device, "printing", done);
        awaitReached(done, 2);
      }
    }
  }
}
