// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kernels in C++ on a Vulkan device. Those tests that compile need a Clang, in a jar on the class
 * path or named by {@code -Djhal.vulkan.compiler=FILE}.
 */
@Timeout(120)
class VulkanCompilerTest {
  private static final String MANIFEST =
      """
      {"version": 1, "name": "scale", "kernels": [{"name": "scale",
      "parameters": [FIRST, {"name": "n", "kind": "constant", "type": "i32"}], "workgroupSize": [64]}],
      "variants": [{"format": "gpu-c++", "file": "scale.cpp", "options": {"all": ["-DBY=3"]}}]}
      """;
  private static final String BUFFER =
      """
      {"name": "x", "kind": "buffer", "type": "f32", "direction": "inout"}""";
  private static final String SCALE =
      """
      #include "by.h"
      extern "C" __global__ void scale(float* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= by();
      }
      """;
  private static final String HEADER = "__device__ float by() { return BY; }\n";

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("scale.cpp"), SCALE);
    Files.writeString(folder.resolve("by.h"), HEADER);
    writeManifest(manifest(BUFFER));
  }

  /** With these parameters before n. */
  private static String manifest(String first) {
    return MANIFEST.replace("FIRST", first);
  }

  private void writeManifest(String text) throws IOException {
    Files.writeString(folder.resolve("manifest.json"), text);
  }

  private static void assumeCompiler() {
    String absence = new VulkanDriver().compilerAbsence();
    assumeTrue(absence == null, () -> "" + absence);
  }

  @Test
  void compilesKernelsInCxx() throws InterruptedException {
    assumeCompiler();
    float[] numbers = {1, 2, 3, 4};
    try (Device device = OpenVulkan.open("vulkan");
        Executable kernels = device.loadExecutable(ExecutableSource.of(folder));
        Sequence sequence = device.createSequence()) {
      assertEquals("gpu-c++", kernels.format());
      Kernel scale = kernels.kernel("scale");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(numbers));
      steps.dispatch(scale, scale.covering(3), Args.of(x, 3));
      steps.readback(x, HostMemory.of(numbers)).awaitAll();
    }
    assertArrayEquals(new float[] {3, 6, 9, 4}, numbers);
  }

  /** An item gets a struct of 20 bytes from the next one, and that from the one behind. */
  @Test
  void exchangesValuesOfAnySize() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"),
        """
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        struct Five { float a[5]; };
        extern "C" __global__ void scale(float* x, int n) {
          auto tile = cg::tiled_partition<32>(cg::this_thread_block());
          const int i = threadIdx.x;
          const Five own = {x[i], x[i] + n, x[i] + 2 * n, 0, x[i] + 3 * n};
          const Five next = tile.shfl_down(tile.shfl_down(own, 1), 1);
          const double wide = tile.shfl((double)x[i], 5);
          x[i] = next.a[0] + next.a[1] + next.a[2] + next.a[3] + next.a[4] + (float)wide;
        }
        """);
    float[] numbers = new float[64];
    float[] wanted = new float[64];
    for (int i = 0; i < 64; i++) {
      numbers[i] = i;
      int lane = i % 32;
      int next = lane < 30 ? i + 2 : lane == 30 ? i + 1 : i;
      wanted[i] = 4 * next + 6 * 100 + i / 32 * 32 + 5;
    }
    assertArrayEquals(wanted, scaled(numbers, 100));
  }

  /** Some lanes of a subgroup have met when others of it still wait. */
  @Test
  void lanesOfASubgroupMeetInDifferentGroups() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"),
        """
        extern "C" __global__ void scale(float* x, int n) {
          const unsigned lane = threadIdx.x % 32, some = 0xff0f, own = some >> lane & 1 ? some : ~some;
          int sum = lane * n;
          if (lane >= 16) {
            for (int k = 1; k < 6; k++) sum += __shfl_xor_sync(0xffff0000, sum, k);
          }
          const int from = own == some ? 8 + lane % 8 : 16 + lane % 16;
          const int given = __shfl_sync(own, (int)lane, from);
          const unsigned votes = __ballot_sync(own, lane % 3 == 0);
          x[threadIdx.x] = given * 100 + __popc(votes) + (sum == -1);
        }
        """);
    float[] wanted = new float[64];
    int some = 0xff0f;
    int thirds = 0x49249249; // every third bit
    for (int i = 0; i < 64; i++) {
      int lane = i % 32;
      boolean isSome = (some >> lane & 1) == 1;
      int from = isSome ? 8 + lane % 8 : 16 + lane % 16;
      wanted[i] = from * 100 + Integer.bitCount(thirds & (isSome ? some : ~some));
    }
    assertArrayEquals(wanted, scaled(new float[64], 10));
  }

  @Test
  void choosesAmongConstants() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"),
        """
        __device__ bool is(int c) {
          switch (c) {
            case 0: case 2: case 3: case 7: case 8: return true;
            default: return false;
          }
        }
        __device__ char of(int c) {
          switch (c) {
            case 0: return 3;
            case 1: return 7;
            case 2: return 1;
            case 3: return 9;
            case 4: return 5;
            default: return 0;
          }
        }
        extern "C" __global__ void scale(float* x, int n) {
          const int i = threadIdx.x;
          x[i] = is(i % 16) * n + of(i % 8);
        }
        """);
    float[] wanted = new float[64];
    for (int i = 0; i < 64; i++) {
      boolean is = List.of(0, 2, 3, 7, 8).contains(i % 16);
      wanted[i] = (is ? 100 : 0) + new int[] {3, 7, 1, 9, 5, 0, 0, 0}[i % 8];
    }
    assertArrayEquals(wanted, scaled(new float[64], 100));
  }

  /** With constants, and with the counter of a loop, which becomes one when it is unrolled. */
  @Test
  void comparesVectorsOfNumbersOf64Bits() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"),
        """
        typedef long two __attribute__((ext_vector_type(2)));
        extern "C" __global__ void scale(float* x, int n) {
          const int i = threadIdx.x;
          const two v = {i - n, n - i};
          two sum = (v < (two){5, -5}) & (two){1, 2};
          for (int m = -2; m < 2; m++) sum += (v > (two)m) & (two){10, 100};
          sum += 1000 * __builtin_elementwise_min(v, (two){9, 3});
          sum += __builtin_elementwise_abs(v);
          x[i] = sum.x + sum.y;
        }
        """);
    float[] wanted = new float[64];
    for (int i = 0; i < 64; i++) {
      int a = i - 20;
      int b = 20 - i;
      int sum = (a < 5 ? 1 : 0) + (b < -5 ? 2 : 0);
      for (int m = -2; m < 2; m++) {
        sum += (a > m ? 10 : 0) + (b > m ? 100 : 0);
      }
      sum += 1000 * (Math.min(a, 9) + Math.min(b, 3)) + Math.abs(a) + Math.abs(b);
      wanted[i] = sum;
    }
    assertArrayEquals(wanted, scaled(new float[64], 20));
  }

  /** Lets the kernel change 64 numbers, and returns them. */
  private float[] scaled(float[] numbers, int n) throws InterruptedException {
    try (Device device = OpenVulkan.open("vulkan");
        Executable kernels = device.loadExecutable(ExecutableSource.of(folder));
        Sequence sequence = device.createSequence()) {
      Kernel scale = kernels.kernel("scale");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(numbers));
      steps.dispatch(scale, scale.covering(64), Args.of(x, n));
      steps.readback(x, HostMemory.of(numbers)).awaitAll();
    }
    return numbers;
  }

  /** The first work item that gives up is logged, once for each kernel, with its line. */
  @Test
  void logsWhichWorkItemGaveUp() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"), SCALE.replace("if (i < n)", "assert(i != n);\n  if (i < n)"));
    List<String> messages = new CopyOnWriteArrayList<>();
    float[] numbers = new float[128];
    try (AutoCloseable unused = listening(messages);
        Device device = OpenVulkan.open("vulkan");
        Executable kernels = device.loadExecutable(ExecutableSource.of(folder));
        Sequence sequence = device.createSequence()) {
      Kernel scale = kernels.kernel("scale");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(numbers));
      for (int i = 0; i < 3; i++) {
        steps.dispatch(scale, scale.covering(128), Args.of(x, 69));
      }
      steps.readback(x, HostMemory.of(numbers)).awaitAll();
    }
    assertEquals(1, messages.size(), messages::toString);
    String message = messages.get(0);
    assertTrue(message.startsWith("kernel 'scale' of bundle "), message);
    String end = ": work item (5, 0, 0) of workgroup (1, 0, 0), in line 4";
    assertTrue(message.endsWith(end), message);
  }

  /** The result of such a call is 0. */
  @Test
  void logsACallOfNoFunction() throws Exception {
    assumeCompiler();
    Files.writeString(
        folder.resolve("scale.cpp"),
        """
        __device__ float one(float x) { return x + 1; }
        __device__ float two(float x) { return x + 2; }
        __device__ float (*table[3])(float) = {one, two, nullptr};
        extern "C" __global__ void scale(float* x, int n) {
          const int i = threadIdx.x;
          x[i] = table[i == n ? 2 : i % 2](5);
        }
        """);
    List<String> messages = new CopyOnWriteArrayList<>();
    float[] numbers;
    try (AutoCloseable unused = listening(messages)) {
      numbers = scaled(new float[64], 9);
    }
    for (int i = 0; i < numbers.length; i++) {
      assertEquals(i == 9 ? 0 : 6 + i % 2, numbers[i], "item " + i);
    }
    assertEquals(1, messages.size(), messages::toString);
    String end = ": work item (9, 0, 0) of workgroup (0, 0, 0)";
    assertTrue(messages.get(0).endsWith(end), messages.get(0));
  }

  /** Adds what is logged about work items that give up to a list, until it is closed. */
  private static AutoCloseable listening(List<String> messages) {
    Logger logger = Logger.getLogger(TrapReports.LOGGER);
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            messages.add(entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    return () -> {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    };
  }

  @Test
  void refusesAManifestWithOtherArguments() throws IOException {
    assumeCompiler();
    writeManifest(
        manifest(BUFFER + ", {\"name\": \"a\", \"kind\": \"constant\", \"type\": \"f64\"}"));
    try (Device device = OpenVulkan.open("vulkan")) {
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> device.loadExecutable(ExecutableSource.of(folder)),
          "kernel 'scale'",
          "takes 2 arguments, in bytes [a pointer at 0, 4 at 8]",
          "[a pointer at 0, 8 at 8, 4 at 16]");
    }
  }

  @Test
  void reportsErrorsInTheSourceWithTheirPlace() throws IOException {
    assumeCompiler();
    Files.writeString(folder.resolve("by.h"), "__device__ float by() { return bye; }\n");
    try (Device device = OpenVulkan.open("vulkan")) {
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> device.loadExecutable(ExecutableSource.of(folder)),
          "by.h:1:32: error",
          "'bye'");
    }
  }

  @Test
  void takesTheNextVariantWithoutACompiler() throws IOException {
    String name = "wide/manifest.json";
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(name))) {
      String first = "{\"format\": \"gpu-c++\", \"file\": \"scale.cpp\"}, ";
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      writeManifest(text.replaceFirst("(\"variants\": *\\[)", "$1" + first));
    }
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("wide/wide.spv"))) {
      Files.write(folder.resolve("wide.spv"), in.readAllBytes());
    }
    try (Device device = OpenVulkan.open("vulkan://?compiler=none");
        Executable kernels = device.loadExecutable(ExecutableSource.of(folder))) {
      assertEquals("vulkan-spirv", kernels.format());
      String refusals = String.join("\n", kernels.refusals());
      assertTrue(refusals.contains("gpu-c++: the option compiler is none"), refusals);
    }
  }

  @Test
  void refusesACompilerThatIsMissing() {
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> OpenVulkan.open("vulkan://?compiler=/no/clang").close(),
        "'/no/clang'");
  }

  @Test
  void refusesOptionsThatNameFiles() throws IOException {
    assumeCompiler();
    writeManifest(manifest(BUFFER).replace("-DBY=3", "-fplugin=a.so"));
    try (Device device = OpenVulkan.open("vulkan")) {
      assertHal(
          Status.INVALID_ARGUMENT,
          () -> device.loadExecutable(ExecutableSource.of(folder)),
          "'-fplugin=a.so'",
          "Vulkan");
    }
  }
}
