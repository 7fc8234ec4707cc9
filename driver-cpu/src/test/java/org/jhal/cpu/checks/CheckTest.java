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
import org.jhal.KernelFinding;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.NeedsCompiler;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckTool;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What is found in each kernel of checks.cpp: behind each {@code //!}, a line says what is found in
 * it, as parts of the text, separated by {@code |}. Nothing else is found. A kernel ends with an
 * empty line; what it calls stands before it.
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

  /** What is expected in a line, as parts of a text. */
  private record Expected(int line, List<String> parts) {
    boolean isOf(String check) {
      return check.equals("all") || parts.get(0).equals(check + ":");
    }
  }

  /** What is expected, by kernel. */
  private static Map<String, List<Expected>> expected(String source) {
    Map<String, List<Expected>> all = new LinkedHashMap<>();
    List<Expected> of = new ArrayList<>(); // of a kernel with what it calls
    boolean isAfterKernel = false;
    int line = 0;
    for (String text : source.lines().toList()) {
      line++;
      Matcher named = KERNEL.matcher(text);
      if (named.find()) {
        all.put(named.group(1), of);
        isAfterKernel = true;
      } else if (isAfterKernel && text.isEmpty()) {
        of = new ArrayList<>();
        isAfterKernel = false;
      }
      String[] parts = text.split("//!");
      for (int i = 1; i < parts.length; i++) {
        of.add(new Expected(line, List.of(parts[i].strip().split(" *\\| *"))));
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

  private static List<KernelFinding> taken() {
    return CheckTool.take().stream().map(CheckReport::finding).toList();
  }

  @TestFactory
  Stream<DynamicTest> findsWhatIsWrong() throws Exception {
    return Stream.of("c++", "clang++", "clang++-19")
        .filter(name -> HostCompiler.find(name).isPresent())
        .flatMap(name -> Stream.of(name, name + "&threads=1"))
        .map(name -> DynamicTest.dynamicTest(name, () -> find("all", name)));
  }

  /** Code that is checked for less is another one. */
  @TestFactory
  Stream<DynamicTest> findsWhatItIsToLookFor() {
    return Stream.of("c++", "clang++")
        .filter(name -> HostCompiler.find(name).isPresent())
        .flatMap(
            name ->
                Stream.of("memory", "races", "barriers", "values")
                    .map(
                        check ->
                            DynamicTest.dynamicTest(
                                check + " by " + name, () -> find(check, name))));
  }

  private static void find(String check, String compiler) throws Exception {
    String source = source();
    String uri =
        "cpu://?check=%s&check-mode=report&cache=off&compiler=%s".formatted(check, compiler);
    List<String> wrong = new ArrayList<>();
    try (Device device = Hal.openDevice(uri);
        Executable kernels = load(device, source)) {
      for (Map.Entry<String, List<Expected>> each : expected(source).entrySet()) {
        if (each.getKey().equals("divides_by_zero") && !List.of("all", "values").contains(check)) {
          continue; // the system ends it
        }
        CheckTool.take();
        run(device, kernels, each.getKey());
        wrong.addAll(compare(check, each.getKey(), each.getValue(), taken()));
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  /** What is found of other checks does not matter: some always say what they see. */
  private static List<String> compare(
      String check, String kernel, List<Expected> expected, List<KernelFinding> found) {
    List<String> wrong = new ArrayList<>();
    List<Expected> missing = new ArrayList<>(expected);
    missing.removeIf(each -> !each.isOf(check));
    for (KernelFinding finding : found) {
      List<Integer> lines =
          Stream.of(finding.place(), finding.otherPlace())
              .filter(Objects::nonNull)
              .map(KernelFinding.Place::line)
              .toList();
      String text = finding.toString().replaceAll("//!.*", "");
      List<Expected> fitting =
          expected.stream()
              .filter(each -> lines.contains(each.line))
              .filter(each -> each.parts.stream().allMatch(text::contains))
              .toList();
      missing.removeAll(fitting);
      if (fitting.isEmpty() && (check.equals("all") || check.equals(finding.check()))) {
        wrong.add(kernel + ": unexpected " + finding);
      }
    }
    missing.forEach(each -> wrong.add(kernel + ": not found " + each));
    return wrong;
  }

  /** Two threads run a workgroup each, in which they write and read the same elements. */
  @Test
  void workgroupsThatRunAtOnceMissNoElement() throws Exception {
    int elements = 1 << 20;
    String source =
        """
        extern "C" __global__ void write(int* out, int count) {
          for (int i = 0; i < count; i++) out[i] = blockIdx.x;
        }
        extern "C" __global__ void read(int* out, int count) {
          int sum = 0;
          for (int i = 0; i < count; i++) {
            if (blockIdx.x == 0) sum += out[i]; else out[i] = 1;
          }
          if (sum < 0) out[0] = sum;
        }
        """;
    ExecutableSource bundle =
        ExecutableSource.builder("checks")
            .kernel("write", 1, inout("out", I32), Parameter.constant("count", I32))
            .kernel("read", 1, inout("out", I32), Parameter.constant("count", I32))
            .cpp(source)
            .build();
    try (Device device =
            Hal.openDevice("cpu://?check=races&check-mode=report&cache=off&threads=2");
        Executable kernels = device.loadExecutable(bundle);
        DeviceBuffer out = device.allocate(4L * elements, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      for (int round = 0; round < 10; round++) {
        for (String name : List.of("write", "read")) {
          CheckTool.take();
          steps.step(
              (waits, signals) ->
                  device
                      .queue(0)
                      .dispatch(
                          waits,
                          signals,
                          kernels.kernel(name),
                          Workgroups.of(2),
                          Args.of(out, elements)));
          steps.await(LIMIT);
          long found = taken().stream().mapToLong(KernelFinding::count).sum();
          // Of a read and a write, each may see the other.
          boolean areAll = name.equals("write") ? found == elements : found >= elements;
          assertTrue(areAll, name + ": " + found + " are found, of " + elements);
        }
      }
    }
  }

  @Test
  void aFindingFailsTheOperation() throws Exception {
    String source =
        """
        extern "C" __global__ void strays(const int* in, int* out) {
          out[threadIdx.x + blockIdx.x * 65] = 1;
        }
        """;
    HalException failure = failureOf(source, "strays");
    String text = String.valueOf(failure.getMessage());
    assertTrue(text.contains(FILE + ":2: out[threadIdx.x + blockIdx.x * 65] = 1;"), text);
    assertEquals(1, failure.findings().size(), text);
    KernelFinding finding = failure.findings().get(0);
    assertEquals("memory", finding.check());
    assertEquals("strays", finding.kernel());
    assertEquals(2, Objects.requireNonNull(finding.place()).line());
    assertEquals(failure.findings(), failure.again().findings());
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
    String text = String.valueOf(failureOf(source, "ends").getMessage());
    assertTrue(text.contains(FILE + ":2: if (threadIdx.x == 0) out[-1] = 1;"), text);
  }

  private static HalException failureOf(String source, String kernel) throws Exception {
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
      return failure;
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
