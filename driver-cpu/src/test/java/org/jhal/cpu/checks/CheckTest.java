// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.checks;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.in;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.CheckTool;
import org.jhal.cpu.Finding;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What is found in each kernel of checks.cpp: behind {@code //!}, a line says what is found in it,
 * as parts of the text, separated by {@code |}. In all other lines nothing is found. A kernel ends
 * with an empty line; what it calls stands before it.
 */
@NeedsCompiler
class CheckTest {
  private static final String FILE = "code.cpp"; // what a bundle calls a string
  private static final int ITEMS = 64;
  private static final int GROUPS = 2;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern KERNEL = Pattern.compile("__global__ void (\\w+)\\(");

  private static String source() throws Exception {
    try (InputStream in = CheckTest.class.getResourceAsStream("checks.cpp")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** What is expected, by kernel: parts of a text, by line. */
  private static Map<String, Map<Integer, List<String>>> expected(String source) {
    Map<String, Map<Integer, List<String>>> all = new LinkedHashMap<>();
    Map<Integer, List<String>> of = new LinkedHashMap<>(); // of a kernel with what it calls
    boolean isAfterKernel = false;
    int line = 0;
    for (String text : source.lines().toList()) {
      line++;
      Matcher named = KERNEL.matcher(text);
      if (named.find()) {
        all.put(named.group(1), of);
        isAfterKernel = true;
      } else if (isAfterKernel && text.isEmpty()) {
        of = new LinkedHashMap<>();
        isAfterKernel = false;
      }
      int at = text.indexOf("//!");
      if (at >= 0) {
        of.put(line, List.of(text.substring(at + 3).strip().split(" *\\| *")));
      }
    }
    return all;
  }

  private static Executable load(Device device, String source) {
    BundleBuilder bundle = ExecutableSource.builder("checks");
    for (String name : expected(source).keySet()) {
      bundle.kernel(name, ITEMS, in("in", I32), inout("out", I32));
    }
    return device.loadExecutable(bundle.cpp(source).build());
  }

  /** Runs a kernel over buffers with an element for each item, all 0. */
  private static void run(Device device, Executable kernels, String name)
      throws InterruptedException {
    long bytes = 4L * ITEMS * GROUPS;
    try (DeviceBuffer in = device.allocate(bytes, BufferParams.DEVICE);
        DeviceBuffer out = device.allocate(bytes, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      int[] zeros = new int[ITEMS * GROUPS];
      var queue = device.queue(0);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(zeros), in, 0));
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(zeros), out, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(
                  waits, signals, kernels.kernel(name), Workgroups.of(GROUPS), Args.of(in, out)));
      steps.await(LIMIT);
    }
  }

  @TestFactory
  Stream<DynamicTest> findsWhatIsWrong() throws Exception {
    return Stream.of("c++", "clang++", "clang++-19")
        .filter(name -> HostCompiler.find(name).isPresent())
        .flatMap(name -> Stream.of(name, name + "&threads=1"))
        .map(name -> DynamicTest.dynamicTest(name, () -> checkAll(name)));
  }

  private static void checkAll(String compiler) throws Exception {
    String source = source();
    String uri = "cpu://?check=all&check-mode=report&cache=off&compiler=" + compiler;
    List<String> wrong = new ArrayList<>();
    try (Device device = Hal.openDevice(uri);
        Executable kernels = load(device, source)) {
      for (Map.Entry<String, Map<Integer, List<String>>> each : expected(source).entrySet()) {
        CheckTool.take();
        run(device, kernels, each.getKey());
        wrong.addAll(compare(each.getKey(), each.getValue(), CheckTool.take()));
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static List<String> compare(
      String kernel, Map<Integer, List<String>> expected, List<Finding> found) {
    List<String> wrong = new ArrayList<>();
    Map<Integer, List<String>> missing = new LinkedHashMap<>(expected);
    for (Finding finding : found) {
      List<Integer> lines =
          Stream.of(finding.place(), finding.otherPlace())
              .filter(Objects::nonNull)
              .map(Finding.Place::line)
              .toList();
      boolean isExpected = false;
      for (int line : lines) {
        List<String> parts = expected.get(line);
        if (parts != null && parts.stream().allMatch(finding.toString()::contains)) {
          missing.remove(line);
          isExpected = true;
        }
      }
      if (!isExpected) {
        wrong.add(kernel + ": unexpected " + finding);
      }
    }
    missing.forEach((line, parts) -> wrong.add(kernel + ": not found " + parts + " in " + line));
    return wrong;
  }

  @Test
  void aFindingFailsTheOperation() throws Exception {
    String source =
        """
        extern "C" __global__ void strays(const int* in, int* out) {
          out[threadIdx.x + blockIdx.x * 65] = 1;
        }
        """;
    String text = textOfFailure(source, "strays");
    assertTrue(text.contains(FILE + ":2: out[threadIdx.x + blockIdx.x * 65] = 1;"), text);
    assertTrue(CheckTool.take().isEmpty(), "what fails an operation is not reported again");
  }

  @Test
  void aFaultDoesNotHideWhatWasFoundBefore() throws Exception {
    String source =
        """
        extern "C" __global__ void ends(const int* in, int* out) {
          if (threadIdx.x == 0) out[-1] = 1;
          if (threadIdx.x == 1 && !in[0]) __builtin_trap();
        }
        """;
    String text = textOfFailure(source, "ends");
    assertTrue(text.contains(FILE + ":2: if (threadIdx.x == 0) out[-1] = 1;"), text);
  }

  private static String textOfFailure(String source, String kernel) throws Exception {
    try (Device device = Hal.openDevice("cpu://?check=memory&cache=off");
        Executable kernels = load(device, source)) {
      HalException failure = null;
      try {
        run(device, kernels, kernel);
      } catch (HalException e) {
        failure = e;
      }
      assertNotNull(failure, "the dispatch of a wrong kernel succeeded");
      assertEquals(Status.ABORTED, failure.status());
      return String.valueOf(failure.getMessage());
    }
  }

  @Test
  void anUnknownCheckIsRefused() {
    Assumptions.assumeTrue(HostCompiler.find().isPresent());
    HalException failure = null;
    try {
      Hal.openDevice("cpu://?check=memory,rases").close();
    } catch (HalException e) {
      failure = e;
    }
    assertNotNull(failure, "the device was opened");
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    assertTrue(String.valueOf(failure.getMessage()).contains("'rases'"), failure.getMessage());
  }
}
