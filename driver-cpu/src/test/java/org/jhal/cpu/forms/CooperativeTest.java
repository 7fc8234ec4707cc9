// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.forms;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels whose workgroups wait for each other, in each form, and what ends their waits. */
@NeedsCompiler
class CooperativeTest {
  private static final int ITEMS = 32;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Each item adds up what the items at its place in all workgroups have written. */
  private static final String SOURCE =
      """
      #include <cooperative_groups.h>
      namespace cg = cooperative_groups;

      __device__ int total(const int* data) {
        int sum = 0;
        for (unsigned group = 0; group < gridDim.x; group++) sum += data[group * blockDim.x + threadIdx.x];
        return sum;
      }
      __device__ void everywhere(const cg::grid_group& all) { all.sync(); }

      #define KERNEL(name, grid, wait)                         \\
        extern "C" __global__ void name(int* data, int* out) { \\
          grid                                                 \\
          const unsigned at = blockIdx.x * blockDim.x + threadIdx.x; \\
          int sum = 0;                                         \\
          for (int round = 0; round < 5; round++) {            \\
            data[at] += at + sum;                              \\
            wait;                                              \\
            sum = total(data);                                 \\
            wait;                                              \\
          }                                                    \\
          out[at] = sum;                                       \\
        }
      KERNEL(declared, cg::grid_group grid = cg::this_grid();, grid.sync())
      KERNEL(deduced, auto grid = cg::this_grid();, grid.sync())
      KERNEL(function, const cg::grid_group grid = cg::this_grid();, cg::sync(grid))
      KERNEL(expression, , cg::this_grid().sync())
      KERNEL(called, auto all = cg::this_grid();, everywhere(all))

      extern "C" __global__ void traps(int* data, int* out) {
        cg::grid_group grid = cg::this_grid();
        if (blockIdx.x == 2) __trap();
        grid.sync();
        out[blockIdx.x] = 1;
      }
      extern "C" __global__ void leaves(int* data, int* out) {
        cg::grid_group grid = cg::this_grid();
        if (blockIdx.x == 1) return;
        grid.sync();
        out[blockIdx.x] = 1;
      }
      extern "C" __global__ void less(int* data, int* out) {
        cg::grid_group grid = cg::this_grid();
        for (unsigned i = 0; i < blockIdx.x; i++) grid.sync();
        out[blockIdx.x] = 1;
      }
      """;

  private static final Map<String, Boolean> NAMES = // whether they divide
      Map.of(
          "declared",
          true,
          "deduced",
          true,
          "function",
          true,
          "expression",
          false,
          "called",
          false);

  private static ExecutableSource bundle() {
    var bundle = ExecutableSource.builder("cooperative");
    for (String name : NAMES.keySet()) {
      bundle.kernel(name, ITEMS, inout("data", I32), inout("out", I32)).cooperative(name);
    }
    for (String name : new String[] {"traps", "leaves", "less"}) {
      bundle.kernel(name, ITEMS, inout("data", I32), inout("out", I32)).cooperative(name);
    }
    return bundle.cpp(SOURCE, FormRun.OPTIMIZATION).build();
  }

  private static int[] run(Device device, Kernel kernel, int groups) throws InterruptedException {
    int[] output = new int[groups * ITEMS];
    try (DeviceBuffer data = device.allocate(4L * output.length, BufferParams.DEVICE);
        DeviceBuffer out = device.allocate(4L * output.length, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      var queue = steps.on(device.queue(0));
      queue.upload(HostMemory.of(new int[output.length]), data);
      queue.upload(HostMemory.of(new int[output.length]), out);
      queue.dispatch(kernel, Workgroups.of(groups), Args.of(data, out));
      queue.readback(out, HostMemory.of(output));
      steps.await(LIMIT);
    }
    return output;
  }

  private static int[] expected(int groups) {
    int[] data = new int[groups * ITEMS];
    int[] sums = new int[data.length];
    for (int round = 0; round < 5; round++) {
      for (int at = 0; at < data.length; at++) {
        data[at] += at + sums[at];
      }
      for (int at = 0; at < data.length; at++) {
        sums[at] = 0;
        for (int group = 0; group < groups; group++) {
          sums[at] += data[group * ITEMS + at % ITEMS];
        }
      }
    }
    return sums;
  }

  @ParameterizedTest
  @CsvSource({"auto,2", "auto,1", "fission,64", "coroutine,2", "fiber,2", "fiber,5"})
  void eachFormWaitsForAllWorkgroups(String form, int threads) throws Exception {
    String uri = "cpu://?cache=off&threads=%s&barriers=%s".formatted(threads, form);
    try (Device device = Hal.openDevice(uri);
        Executable kernels = device.loadExecutable(bundle())) {
      for (String name : NAMES.keySet()) {
        Kernel kernel = kernels.kernel(name);
        boolean isDivided = kernel.note().startsWith("divided at its barriers");
        boolean divides = !form.equals("coroutine") && !form.equals("fiber") && NAMES.get(name);
        assertEquals(divides, isDivided, () -> name + ": " + kernel.note());
        for (int groups : new int[] {1, 2, 7, 64}) {
          assertArrayEquals(expected(groups), run(device, kernel, groups), name + " " + groups);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "fiber"})
  void aWorkgroupThatNeverComesFailsTheOperation(String form) throws Exception {
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=3&barriers=" + form);
        Executable kernels = device.loadExecutable(bundle())) {
      Map<String, String> reasons =
          Map.of(
              "traps", "trapped",
              "leaves", "its work items wait for each other",
              "less", "its work items wait for each other");
      for (Map.Entry<String, String> each : reasons.entrySet()) {
        for (int groups : new int[] {5, 40}) {
          Kernel kernel = kernels.kernel(each.getKey());
          HalException failure =
              assertThrows(HalException.class, () -> run(device, kernel, groups), each.getKey());
          assertEquals(Status.ABORTED, failure.status(), failure::getMessage);
          assertTrue(failure.getMessage().contains(each.getValue()), failure::getMessage);
          int[] later = run(device, kernels.kernel("declared"), groups);
          assertArrayEquals(expected(groups), later, "a later dispatch");
        }
      }
    }
  }

  @Test
  void largeWorkgroupsAreFewer() {
    String source = "#include <cooperative_groups.h>\n";
    var bundle = ExecutableSource.builder("sizes");
    int[] sizes = {1, 64, 256, 257, 1024};
    for (int size : sizes) {
      bundle.kernel("k" + size, size, inout("data", I32)).cooperative("k" + size);
      source +=
          "extern \"C\" __global__ void k%s(int* data) { cooperative_groups::this_grid().sync(); }\n"
              .formatted(size);
    }
    try (Device device = Hal.openDevice("cpu://?cache=off");
        Executable kernels = device.loadExecutable(bundle.cpp(source, "-O0").build())) {
      long[] found =
          Arrays.stream(sizes)
              .mapToLong(size -> kernels.kernel("k" + size).residentWorkgroups().orElseThrow())
              .toArray();
      assertArrayEquals(new long[] {64, 64, 64, 63, 16}, found);
    }
  }

  /** Checks would have to know the order that such waits make. */
  @Test
  void areNotChecked() {
    try (Device device = Hal.openDevice("cpu://?cache=off&check=races")) {
      ExecutableSource bundle = bundle();
      HalException refused =
          assertThrows(HalException.class, () -> device.loadExecutable(bundle).close());
      assertEquals(Status.UNIMPLEMENTED, refused.status());
      assertTrue(refused.getMessage().contains("is cooperative"), refused::getMessage);
      assertTrue(refused.getMessage().contains("'check'"), refused::getMessage);
    }
  }
}
