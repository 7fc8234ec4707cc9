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
import java.util.Objects;
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
