// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.jhal.ElementType.I32;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
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
import org.jhal.Kernel;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.HostCompiler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the compiler is called, and what becomes of its failures. */
class CompilingTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir private Path folder;

  @BeforeEach
  void findsACompiler() {
    assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
  }

  private static BundleBuilder bundle(String source, String... options) {
    return ExecutableSource.builder("compiling")
        .kernel("k", 4, inout("x", I32))
        .cpp(source)
        .compilerOptions("cpu", options);
  }

  /** What a kernel writes as its first number, over 3. */
  private static int run(Device device, BundleBuilder bundle) throws Exception {
    int[] x = {3, 3, 3, 3};
    try (Executable loaded = device.loadExecutable(bundle.build());
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        Sequence steps = device.createSequence()) {
      Kernel kernel = loaded.kernel("k");
      var queue = device.queue(0);
      steps.step((waits, signals) -> queue.upload(waits, signals, HostMemory.of(x), buffer, 0));
      steps.step(
          (waits, signals) ->
              queue.dispatch(waits, signals, kernel, Workgroups.of(1), Args.of(buffer)));
      steps.step((waits, signals) -> queue.readback(waits, signals, buffer, 0, HostMemory.of(x)));
      steps.await(LIMIT);
      return x[0];
    }
  }

  private static int run(BundleBuilder bundle) throws Exception {
    try (Device device = Hal.openDevice("cpu://?cache=off&threads=1")) {
      return run(device, bundle);
    }
  }

  private static final String ASSERTS =
      "extern \"C\" __global__ void k(int* x) { assert(x[threadIdx.x] < 0); x[threadIdx.x] = 4; }\n";

  @Test
  void ndebugRemovesAssertions() throws Exception {
    assertThrows(HalException.class, () -> run(bundle(ASSERTS)));
    assertThrows(HalException.class, () -> run(bundle("#include <assert.h>\n" + ASSERTS)));
    assertEquals(4, run(bundle(ASSERTS, "-DNDEBUG")));
    assertEquals(4, run(bundle("#include <assert.h>\n" + ASSERTS, "-DNDEBUG")));
    assertEquals(4, run(bundle("#define NDEBUG\n#include <cassert>\n" + ASSERTS)));
    assertThrows(
        HalException.class,
        () -> run(bundle("#include <assert.h>\n#define NDEBUG\n" + ASSERTS)),
        "decided where the header is included");
  }

  /** In each form, since one of them needs a newer standard itself. */
  @Test
  void aBundleMayChooseTheStandard() throws Exception {
    String source =
        """
        template <class T> concept Number = requires(T a) { a + a; };
        template <Number T> __device__ T twice(T a) { return a + a; }
        extern "C" __global__ void k(int* x) {
          __syncthreads();
          x[threadIdx.x] = twice(x[threadIdx.x]) + (__cplusplus >= 202002L ? 1 : 0);
        }
        """;
    for (String form : List.of("fission", "coroutine", "fiber")) {
      try (Device device = Hal.openDevice("cpu://?cache=off&threads=1&barriers=" + form)) {
        assertEquals(7, run(device, bundle(source, "-std=c++20")), form);
      }
    }
  }

  /** Also if the code is from the cache. */
  @Test
  void warnsOfKernelsThatGpusDoNotFind() {
    String source =
        """
        __global__ void plain(int* x) { x[0] = 1; }
        extern "C" __global__ void c(int* x) { x[0] = 1; }
        extern "C" { __global__ void within(int* x) { x[0] = 1; } }
        extern "C" __global__ void before(int* x);
        __global__ void before(int* x) { x[0] = 1; }
        extern "C++" { __global__ void other(int* x) { x[0] = 1; } }
        extern "C" { namespace n { extern "C++" __global__ void inner(int* x) { x[0] = 1; } } }
        template <class T> __global__ void instance(T* x) { x[0] = 1; }
        namespace n { __global__ void named(int* x) { x[0] = 1; } }
        """;
    List<String> names =
        List.of("plain", "c", "within", "before", "other", "instance", "named", "inner");
    BundleBuilder bundle = ExecutableSource.builder("linkage");
    names.forEach(name -> bundle.kernel(name, 1, inout("x", I32)));
    bundle.cpp(source).entry("instance", "instance<int>").entry("named", "n::named");
    bundle.entry("inner", "n::inner");
    String expected =
        "code.cpp of bundle linkage: without extern \"C\", GPUs do not find 'plain', 'other'";
    for (String cache : List.of("off", folder.toString(), folder.toString())) {
      List<String> logged = new CopyOnWriteArrayList<>();
      Logger logger = Logger.getLogger("org.jhal.cpu.KernelCompiler");
      logger.setFilter(
          record -> {
            logged.add(record.getMessage());
            return false;
          });
      try (Device device = Hal.openDevice("cpu://?threads=1&cache=" + cache);
          Executable loaded = device.loadExecutable(bundle.build())) {
        assertEquals(List.of(expected), logged, cache);
        for (String name : names) {
          assertEquals("items run one after the other", loaded.kernel(name).note(), name);
        }
      } finally {
        logger.setFilter(null);
      }
    }
  }

  /** What docs/kernels.md says about sources that GPUs would refuse, and how to detect the CPU. */
  @Test
  void takesPlainKernelsAndHelpersAndDefinesNoMacroOfAGpu() throws Exception {
    String source =
        """
        #if defined(__HIP__) || defined(__CUDACC_RTC__)
        #error this is a GPU
        #endif
        int helper(int x) { return x + 4; }
        __global__ void k(int* x) { x[threadIdx.x] = helper(x[threadIdx.x]); }
        """;
    assertEquals(7, run(bundle(source)));
  }

  private static final String DOUBLES =
      """
      extern "C" __global__ void k(int* x) {
        int own = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = 2 * own;
      }
      """;

  private Path script(String text) throws Exception {
    Path script = Files.writeString(folder.resolve("cxx"), "#!/bin/sh\n" + text);
    assertTrue(script.toFile().setExecutable(true));
    return script;
  }

  private Device device(Path compiler, String cache) {
    return Hal.openDevice("cpu://?threads=1&cache=" + cache + "&compiler=" + compiler);
  }

  /**
   * As if the system had ended the compiler: that says nothing about the source, nor about the
   * compiler. So the kernel in Java is not taken instead, and the next call compiles.
   */
  @ParameterizedTest
  @CsvSource({
    "kernels.so, echo 'c++: fatal error: Killed signal terminated program cc1plus'; exit 1",
    "source.ii, echo 'c++: fatal error: Killed signal terminated program cc1plus'; exit 1",
    "--version, echo 'virtual memory exhausted: Cannot allocate memory'; exit 1",
    "--version, kill -9 $$",
    "kernels.so, kill -9 $$",
  })
  void aCompilerThatFailsOnceHasNoLastingEffect(String call, String end) throws Exception {
    String compiler = HostCompiler.find().orElseThrow().toString();
    Path script =
        script(
            """
            case " $* " in *" %s "*)
              if [ ! -e '%s/failed' ]; then
                touch '%s/failed'
                %s
              fi
            esac
            exec '%s' "$@"
            """
                .formatted(call, folder, folder, end, compiler));
    String cache = Files.createDirectory(folder.resolve("cache")).toString();
    BundleBuilder both = bundle(DOUBLES).java("k", group -> group.memory(0).putInt(0, 9));
    try (Device device = device(script, cache)) {
      HalException failure = assertThrows(HalException.class, () -> run(device, both));
      assertEquals(Status.RESOURCE_EXHAUSTED, failure.status(), failure::getMessage);
      assertTrue(failure.getMessage().contains("with " + script), failure::getMessage);
      assertEquals(6, run(device, both));
      try (Executable loaded = device.loadExecutable(bundle(DOUBLES).build())) {
        assertEquals("divided at its barriers", loaded.kernel("k").note());
      }
    }
  }

  /** An interrupt ends waits and nothing else. */
  @Test
  void anInterruptedThreadLoadsKernels() throws Exception {
    String cache = Files.createDirectory(folder.resolve("cache")).toString();
    try (Device device = device(Path.of(HostCompiler.find().orElseThrow().toString()), cache)) {
      for (String from : List.of("the compiler", "the cache")) {
        Thread.currentThread().interrupt();
        try (Executable loaded = device.loadExecutable(bundle(DOUBLES).build())) {
          assertEquals("gpu-c++", loaded.format(), from);
        } finally {
          assertTrue(Thread.interrupted(), "the interrupt status is kept");
        }
      }
    }
  }

  /** Likewise, while the compiler runs. */
  @Test
  void anInterruptDoesNotEndTheCompiler() throws Exception {
    Path started = folder.resolve("started");
    Path proceed = folder.resolve("proceed");
    String compiler = HostCompiler.find().orElseThrow().toString();
    Path script =
        script(
            """
            case " $* " in *" kernels.so "*)
              touch '%s'
              until [ -e '%s' ]; do sleep 0.01; done
            esac
            exec '%s' "$@"
            """
                .formatted(started, proceed, compiler));
    try (Device device = device(script, "off")) {
      CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
      Thread loader =
          new Thread(
              () -> {
                try {
                  device.loadExecutable(bundle(DOUBLES).build()).close();
                  wasInterrupted.complete(Thread.interrupted());
                } catch (Throwable t) {
                  wasInterrupted.completeExceptionally(t);
                }
              },
              "loader");
      loader.start();
      try {
        assertTimeoutPreemptively(
            LIMIT,
            () -> {
              while (!Files.exists(started)) {
                Thread.onSpinWait();
              }
            },
            "the test waits for the compiler to start");
        loader.interrupt();
        assertTimeoutPreemptively(
            LIMIT,
            () -> {
              while (loader.isInterrupted() && !wasInterrupted.isDone()) {
                Thread.onSpinWait();
              }
            },
            "the test waits for the loader to notice the interrupt");
      } finally {
        Files.createFile(proceed);
      }
      assertTrue(wasInterrupted.get(LIMIT.toSeconds(), TimeUnit.SECONDS), "the status is kept");
    }
  }

  @Test
  void aBrokenCompilerLeavesKernelsToJava() throws Exception {
    try (Device device = device(script("exit 3\n"), "off")) {
      BundleBuilder both = bundle(DOUBLES).java("k", group -> group.memory(0).putInt(0, 9));
      assertEquals(9, run(device, both));
      HalException failure = assertThrows(HalException.class, () -> run(device, bundle(DOUBLES)));
      assertEquals(Status.UNIMPLEMENTED, failure.status());
      assertTrue(failure.getMessage().contains("exit code 3"), failure::getMessage);
    }
  }

  /** A compiler may print more than the memory of the process holds. */
  @Test
  void aLongLogIsCut() throws Exception {
    Path script =
        script(
            "echo 'code.cpp:1:1: error: first'\nhead -c 9000000 /dev/zero | tr '\\0' x\nexit 1\n");
    try (Device device = device(script, "off")) {
      HalException failure = assertThrows(HalException.class, () -> run(device, bundle(DOUBLES)));
      String message = String.valueOf(failure.getMessage());
      assertTrue(message.contains("code.cpp:1:1: error: first"), () -> message.substring(0, 200));
      assertTrue(message.endsWith(" more bytes of the compiler's log"), "the end");
      assertTrue(message.length() < 1 << 20, () -> "" + message.length());
    }
  }

  /** The headers of this machine, and of the folder that the compiler is called in. */
  @Test
  void aSourceSeesTheFilesOfItsBundleAlone() throws Exception {
    BundleBuilder own =
        bundle(
                "#include \"hal_math.h\"\n#include \"log\"\n"
                    + "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = OWN + LOG; }\n")
            .file("hal_math.h", "#define OWN 5\n")
            .file("log", "#define LOG 2\n");
    assertEquals(7, run(own));
    HalException failure =
        assertThrows(
            HalException.class,
            () -> run(bundle("#include <vector>\nextern \"C\" __global__ void k(int* x) {}\n")));
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
    String temporary = System.getProperty("java.io.tmpdir");
    assertFalse(failure.getMessage().contains(temporary + "/jhal-cpu"), failure::getMessage);
  }
}
