// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.Parameter.constant;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.simulator.fixture.NativeCall.MODULE_UNLOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code that cannot be loaded or launched, and kernels that do not end. */
class GpuKernelsTest extends StoreKernels {
  @Test
  void compilesAndRunsASource() throws IOException {
    assertRuns(device.loadExecutable(store(PARAMETERS, "[1]", "")));
  }

  @Test
  void refusesAnInvalidSourceWithTheCompilersLog() throws IOException {
    ExecutableSource source =
        bundle("store", PARAMETERS, "[1]", "", variant("gpu-c++", "wrong.cpp"));
    Files.writeString(folder.resolve("wrong.cpp"), "extern \"C\" __global__ void store( { }\n");
    HalException failure = refused(source, "wrong.cpp", sim.gpu().architecture(), "error");
    NativeCode code = failure.nativeCode();
    assertNotNull(code, failure::toString);
    assertEquals(6, code.value(), failure::toString);
    assertTrue(String.valueOf(code.name()).endsWith("_ERROR_COMPILATION"), code::toString);
  }

  /**
   * A library of a vendor knows only symbols, so it would not find an instance by its expression.
   */
  @Test
  void refusesExpressionsInCodeThatIsCompiledAlready() throws IOException {
    Files.writeString(folder.resolve("made"), "made");
    for (String format : device.executableFormats()) {
      if (!format.equals("gpu-c++") && !format.equals("java")) {
        String made =
            variant(format, "made").replace("}", ", \"entries\": {\"store\": \"put<2>\"}}");
        HalException failure =
            refused(
                bundle("store", PARAMETERS, "[1]", "", made), "'put<2>'", format, "plain names");
        assertEquals(Status.INVALID_ARGUMENT, failure.status());
      }
    }
  }

  @Test
  void refusesAnExpressionThatNamesNothingWithTheCompilersLog() throws IOException {
    String wrong =
        variant("gpu-c++", "store.cpp").replace("}", ", \"entries\": {\"store\": \"put<2>\"}}");
    HalException failure = refused(bundle("store", PARAMETERS, "[1]", "", wrong), "put");
    assertEquals(Status.INVALID_ARGUMENT, failure.status());
  }

  /** A bundle in the program whose source begins with these lines. */
  private static BundleBuilder including(String lines) {
    return ExecutableSource.builder("including")
        .kernel(
            "store", 1, Parameter.out("out", ElementType.U32), constant("value", ElementType.U32))
        .cpp(lines + "\n" + SOURCE.replace("= value", "= value + MORE"));
  }

  @Test
  void includesFilesOfTheBundle() {
    assertRuns(
        device.loadExecutable(
            including("#include \"lib/a.h\"\n  #  include \"lib/deep/c.h\" // again")
                .file("lib/a.h", "#include \"b.h\"\n#include \"deep/c.h\"\n#include \"root.h\"\n")
                .file("lib/b.h", "#define FROM_B 1")
                .file("b.h", "#error not this one, as one is beside lib/a.h")
                .file("lib/deep/c.h", "#pragma once\nstruct c {};")
                .file("deep/c.h", "#error nor this one")
                .file("root.h", "#define MORE (FROM_B - 1)")
                .build()));
  }

  @Test
  void acceptsGuardedMutualIncludes() {
    String guarded = "#ifndef A%1$s\n#define A%1$s\n#include \"%2$s\"\n#define MORE 0\n#endif\n";
    assertRuns(
        device.loadExecutable(
            including("#include \"a.h\"")
                .file("a.h", String.format(Locale.ROOT, guarded, "a", "b.h"))
                .file("b.h", String.format(Locale.ROOT, guarded, "b", "a.h"))
                .build()));
  }

  @Test
  void refusesAnImpossibleInclude() {
    String lost = "no file for #include of 'gone.h'";
    refused(including("#include \"gone.h\"").build(), "gone.h", lost);
    refused(including("#include \"a.h\"").file("a.h", "#include \"gone.h\"").build(), "a.h", lost);
    refused(including("#include \"../gone.h\"").build(), "of '../gone.h'");
    refused(including("#include \"/no/such/gone.h\"").build(), "of '/no/such/gone.h'");
    refused(including("#include \"a.h\"").file("a.h", "#include \"a.h\"").build(), "a.h");
    refused(including("#include \"a.h\"").file("a.h", "x\n\0").build(), "line 2 of a.h");
    refused(
        including("#include \"x/a.h\"\n#include \"y/a.h\"")
            .file("x/a.h", "#include \"c.h\"")
            .file("y/a.h", "#include \"c.h\"")
            .file("x/c.h", "#define MORE 1")
            .file("y/c.h", "#define MORE 2")
            .build(),
        "'c.h' means 'y/c.h' in 'y/a.h', and 'x/c.h' elsewhere");
    assertRuns(
        device.loadExecutable(
            including("#if 0\n#include \"gone.h\"\n#endif\n#define MORE 0").build()));
  }

  /** A file that is missing behind an {@code #if 0} is no error. */
  @Test
  void namesTheFileThatTheCompilerMisses() {
    HalException other =
        refused(including("#if 0\n#include \"gone.h\"\n#endif\nwrong").build(), "wrong");
    assertFalse(other.getMessage().contains("gone.h"), other::getMessage);
  }

  @Test
  void passesTheOptionsOfEachCompiler() {
    String own = sim.gpu().compiler();
    String other = sim.gpu().foreignCompiler();
    assertRuns(
        device.loadExecutable(
            including("")
                .options("-DSOME=1")
                .compilerOptions(other, "--no-such-option")
                .compilerOptions(own, "-DMORE=SOME-1")
                .build()));
    refused(including("").compilerOptions(own, "--no-such-option").build(), "--no-such-option");
  }

  @Test
  void compilesAHugeSource() {
    assertRuns(
        device.loadExecutable(
            including("#define MORE 0\n" + "// nothing to see here\n".repeat(200_000)).build()));
  }

  @Test
  void namesAKernelThatTheCodeLacks() throws IOException {
    refused(
        bundle("load", PARAMETERS, "[1]", "", variant("gpu-c++", "store.cpp")),
        "no kernel 'load'",
        "store.cpp");
  }

  @Test
  void refusesTooLargeWorkgroupsAndSharedMemory() throws IOException {
    refused(store(PARAMETERS, "[2048]", ""), "2048");
    refused(store(PARAMETERS, "[64, 64]", ""), "4096");
    refused(
        store(PARAMETERS, "[1]", ", \"dynamicSharedMemory\": 1000000"), "1000000", "shared memory");
    Executable kernels = device.loadExecutable(store(PARAMETERS, "[1]", ""));
    try (DeviceBuffer out = device.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      assertHal(
          Status.OUT_OF_RANGE,
          () ->
              device
                  .queue(0)
                  .dispatch(
                      Fence.NONE,
                      done.at(1),
                      kernels.kernel("store"),
                      new Workgroups(1, 70_000, 1),
                      Args.of(out, 5)),
          "70000");
    }
    assertRuns(kernels);
  }

  /** A runtime sets the limit per function, whichever kernel of a manifest is launched. */
  @ParameterizedTest
  @ValueSource(strings = {"60000,50000,0", "0,50000,60000", "50000,60000,0"})
  void kernelsOfOneEntryPointGetTheirDeclaredSharedMemory(String bytes) throws IOException {
    List<String> declared = List.of(bytes.split(","));
    StringBuilder kernels = new StringBuilder();
    for (int i = 0; i < declared.size(); i++) {
      kernels
          .append(i == 0 ? "" : ",")
          .append("{\"name\": \"store" + i + "\", \"parameters\": [" + PARAMETERS)
          .append("], \"workgroupSize\": [1], \"dynamicSharedMemory\": " + declared.get(i) + "}");
    }
    Files.writeString(folder.resolve("store.cpp"), SOURCE);
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"name\": \"b\", \"kernels\": ["
            + kernels
            + "], \"variants\": [{\"format\": \"gpu-c++\", \"file\": \"store.cpp\", \"entries\":"
            + " {\"store0\": \"store\", \"store1\": \"store\", \"store2\": \"store\"}}]}");
    try (Device graphs = sim.open(sim.driver().name() + "://0?graph=on");
        Executable one = graphs.loadExecutable(ExecutableSource.of(folder));
        Executable other = graphs.loadExecutable(ExecutableSource.of(folder));
        DeviceBuffer out = graphs.allocate(4, BufferParams.HOST);
        TimelineSemaphore done = graphs.createSemaphore(0);
        CommandBuffer recorded = graphs.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      int step = 0;
      for (Executable each : List.of(one, other)) {
        for (String kernel : List.of("store0", "store1", "store2")) {
          graphs
              .queue(0)
              .dispatch(
                  Fence.NONE,
                  done.at(++step),
                  each.kernel(kernel),
                  Workgroups.of(1),
                  Args.of(out, step));
          awaitReached(done, step);
          assertEquals(step, intAt(out), kernel);
          recorded.dispatch(each.kernel(kernel), Workgroups.of(1), Args.of(out, 100 + step));
          recorded.barrier();
        }
      }
      recorded.end();
      for (int i = 0; i < 3; i++) {
        graphs.queue(0).execute(Fence.NONE, done.at(++step), recorded, BindingTable.of());
        awaitReached(done, step);
        assertEquals(106, intAt(out), "the last one of the recording");
      }
      assertTrue(graphs.statistics().graphs().launches() > 0, "launches of a graph");
    }
  }

  private static int intAt(DeviceBuffer buffer) {
    try (DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ)) {
      return mapping.bytes().order(ByteOrder.nativeOrder()).getInt(0);
    }
  }

  /** Rule Q8: nothing is freed while a kernel still runs, and everything when it has ended. */
  @Test
  void closingADeviceLeavesARunningKernelAlone() throws Exception {
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    DeviceBuffer flags = device.allocate(8, BufferParams.HOST);
    DeviceBuffer.Mapping mapping = flags.map(DeviceBuffer.MapMode.READ_WRITE);
    mapping.bytes().putInt(0, 0).putInt(4, 0);
    TimelineSemaphore done = device.createSemaphore(0);
    device
        .queue(0)
        .dispatch(
            Fence.NONE,
            done.at(1),
            kernels.kernel("spin"),
            Workgroups.of(1),
            Args.of(flags, Long.MAX_VALUE));
    Waits.awaitTrue("the kernel to run", () -> mapping.bytes().getInt(4) != 0);
    Task<?> closing = Task.run("closing", device::close);
    Waits.awaitTrue("close() to give up", Duration.ofSeconds(20), () -> !closing.isRunning());
    closing.join();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    assertEquals(0L, sim.calls(MODULE_UNLOAD), "modules unloaded");
    assertTrue(sim.live().containsKey("registration"), "the flags are still there");
    mapping.bytes().putInt(0, 1); // lets it end
    Waits.awaitTrue("the kernel to see that", () -> mapping.bytes().getInt(4) == 2);
    Waits.awaitTrue("the device to be given back to its end", () -> sim.live().isEmpty());
  }
}
