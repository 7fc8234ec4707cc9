package org.jhal.cuda;

import static org.jhal.cts.TestData.assertHal;
import static org.jhal.cts.Waits.awaitFailure;
import static org.jhal.cts.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.Args;
import org.jhal.Buffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Semaphore;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cts.Task;
import org.jhal.cts.Waits;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.simulator.driver.SimulatedDevices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Code that cannot be loaded or launched, and kernels that do not end. */
@Timeout(60)
class CudaKernelsTest {
  private static final String SOURCE =
      "extern \"C\" __global__ void store(unsigned* out, unsigned value) { out[0] = value; }\n";
  private static final String PARAMETERS =
      "{\"name\": \"out\", \"kind\": \"buffer\", \"type\": \"u32\", \"direction\": \"out\"},"
          + "{\"name\": \"value\", \"kind\": \"constant\", \"type\": \"u32\"}";

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices(CudaOnSimulator.GPU);
  @TempDir Path folder;
  private Device device;

  @BeforeEach
  void open() {
    device = sim.open("cuda://0?close-timeout=200ms");
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  /** A bundle with one function. */
  private ExecutableSource bundle(
      String function, String parameters, String workgroup, String more, String variants)
      throws IOException {
    Files.writeString(folder.resolve("store.cpp"), SOURCE);
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"name\": \"b\", \"functions\": [{\"name\": \""
            + function
            + "\", \"parameters\": ["
            + parameters
            + "], \"workgroupSize\": "
            + workgroup
            + more
            + "}], \"variants\": ["
            + variants
            + "]}");
    return ExecutableSource.of(folder);
  }

  private static String variant(String format, String file) {
    return "{\"format\": \"" + format + "\", \"file\": \"" + file + "\"}";
  }

  private ExecutableSource store(String parameters, String workgroup, String more)
      throws IOException {
    return bundle("store", parameters, workgroup, more, variant("gpu-c++", "store.cpp"));
  }

  private void assertRuns(Executable kernels) {
    try (Buffer out = device.allocate(4, BufferParams.DEVICE);
        Semaphore done = device.createSemaphore(0)) {
      device
          .queue(0)
          .dispatch(
              Fence.NONE, done.at(1), kernels.function("store"), Workgroups.of(1), Args.of(out, 5));
      awaitReached(done, 1);
    } finally {
      kernels.close();
    }
  }

  private HalException refused(ExecutableSource source, String... parts) {
    HalException failure =
        org.junit.jupiter.api.Assertions.assertThrows(
            HalException.class, () -> device.loadExecutable(source));
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), () -> part + " in: " + failure.getMessage());
    }
    return failure;
  }

  @Test
  void aSourceIsCompiledAndRuns() throws IOException {
    assertRuns(device.loadExecutable(store(PARAMETERS, "[1]", "")));
  }

  @Test
  void brokenCodeIsRefusedWithTheLogOfTheLinker() throws IOException {
    Files.writeString(folder.resolve("broken.ptx"), ".version 7.5\nthis is none\n");
    ExecutableSource source =
        bundle("store", PARAMETERS, "[1]", "", variant("cuda-ptx", "broken.ptx"));
    HalException failure = refused(source, "broken.ptx", "sm_90", "cuModuleLoadDataEx returned");
    assertTrue(failure.getMessage().contains(":\n"), failure::getMessage);
  }

  /** The driver has one code for PTX that is wrong and for PTX that is right, but for others. */
  @Test
  void ptxForNewerDevicesIsPassedOverAndToldOf() throws IOException {
    String source = variant("gpu-c++", "store.cpp");
    for (String target : List.of("sm_100", "sm_90000", "sm_80a", "sm_80f, debug")) {
      Files.writeString(
          folder.resolve("new.ptx"), ".version 8.6\n.target " + target + "\n.address_size 64\n");
      String ptx = variant("cuda-ptx", "new.ptx");
      assertRuns(device.loadExecutable(bundle("store", PARAMETERS, "[1]", "", ptx + "," + source)));
      HalException alone =
          refused(
              bundle("store", PARAMETERS, "[1]", "", ptx),
              "new.ptx",
              "for sm_90, as it is for " + target.replace(", debug", ""),
              "returned 218",
              ":\n");
      assertEquals(Status.UNIMPLEMENTED, alone.status());
    }
    for (String target : List.of("sm_75", "sm_90", "sm_90a", "sm_90f")) {
      Files.writeString(folder.resolve("wrong.ptx"), ".version 8.6\n.target " + target + "\nx\n");
      String ptx = variant("cuda-ptx", "wrong.ptx");
      HalException wrong =
          refused(bundle("store", PARAMETERS, "[1]", "", ptx + "," + source), "returned 218");
      assertEquals(Status.INVALID_ARGUMENT, wrong.status(), "an error is none of the target");
    }
  }

  @Test
  void aSourceThatDoesNotCompileIsRefusedWithTheCompilersLog() throws IOException {
    ExecutableSource source =
        bundle("store", PARAMETERS, "[1]", "", variant("gpu-c++", "wrong.cpp"));
    Files.writeString(folder.resolve("wrong.cpp"), "extern \"C\" __global__ void store( { }\n");
    refused(source, "wrong.cpp", "sm_90", "error");
  }

  @Test
  void codeForOtherDevicesIsPassedOverAndToldOf() throws IOException {
    byte[] elf = new byte[64];
    elf[0] = 0x7F;
    elf[1] = 'E';
    elf[2] = 'L';
    elf[3] = 'F';
    elf[4] = 2;
    elf[18] = (byte) 0xE0; // EM_AMDGPU
    Files.write(folder.resolve("other.cubin"), elf);
    String other = variant("cuda-cubin", "other.cubin");
    String foreign = variant("hip-hsaco", "other.hsaco");
    assertRuns(
        device.loadExecutable(
            bundle(
                "store",
                PARAMETERS,
                "[1]",
                "",
                foreign + "," + other + "," + variant("gpu-c++", "store.cpp"))));
    refused(
        bundle("store", PARAMETERS, "[1]", "", foreign + "," + other), "hip-hsaco", "other.cubin");
  }

  @Test
  void aFunctionThatTheCodeLacksIsNamed() throws IOException {
    refused(
        bundle("load", PARAMETERS, "[1]", "", variant("gpu-c++", "store.cpp")),
        "no function 'load'",
        "store.cpp");
  }

  @Test
  void theManifestsParametersMustBeTheKernels() throws IOException {
    refused(store(PARAMETERS.substring(0, PARAMETERS.indexOf("},") + 1), "[1]", ""), "more than");
    refused(
        store(
            PARAMETERS + ",{\"name\": \"third\", \"kind\": \"constant\", \"type\": \"u32\"}",
            "[1]",
            ""),
        "takes 2 parameters",
        "has 3");
    refused(
        store(
            PARAMETERS.replace(
                "\"constant\", \"type\": \"u32\"", "\"constant\", \"type\": \"u64\""),
            "[1]",
            ""),
        "parameter 1 has 4 bytes",
        "value of the manifest has 8");
  }

  @Test
  void whatIsTooLargeIsRefused() throws IOException {
    refused(store(PARAMETERS, "[2048]", ""), "2048");
    refused(store(PARAMETERS, "[64, 64]", ""), "4096");
    refused(
        store(PARAMETERS, "[1]", ", \"dynamicSharedMemory\": 1000000"), "1000000", "shared memory");
    Executable kernels = device.loadExecutable(store(PARAMETERS, "[1]", ""));
    try (Buffer out = device.allocate(4, BufferParams.DEVICE);
        Semaphore done = device.createSemaphore(0)) {
      assertHal(
          Status.OUT_OF_RANGE,
          () ->
              device
                  .queue(0)
                  .dispatch(
                      Fence.NONE,
                      done.at(1),
                      kernels.function("store"),
                      new Workgroups(1, 70_000, 1),
                      Args.of(out, 5)),
          "70000");
    }
    assertRuns(kernels);
  }

  /** Rule Q8: nothing is freed under what still runs, and everything when that has ended. */
  @Test
  void aKernelThatDoesNotEndIsLeftAloneWhenItsDeviceCloses() throws Exception {
    Executable kernels = device.loadExecutable(CtsKernels.bundle());
    Buffer flags = device.allocate(8, BufferParams.HOST);
    Buffer.Mapping mapping = flags.map(Buffer.MapMode.READ_WRITE);
    mapping.bytes().putInt(0, 0).putInt(4, 0);
    Semaphore done = device.createSemaphore(0);
    device
        .queue(0)
        .dispatch(
            Fence.NONE,
            done.at(1),
            kernels.function("spin"),
            Workgroups.of(1),
            Args.of(flags, Long.MAX_VALUE));
    Waits.awaitTrue("the kernel to run", () -> mapping.bytes().getInt(4) != 0);
    Task<?> closing = Task.run("closing", device::close);
    Waits.awaitTrue("close() to give up", Duration.ofSeconds(20), () -> !closing.isRunning());
    closing.join();
    awaitFailure(done, 1, Status.DEADLINE_EXCEEDED);
    assertEquals(
        0L, sim.simulator().calls().getOrDefault("cuModuleUnload", 0L), "modules unloaded");
    assertTrue(sim.simulator().live().containsKey("registration"), "the flags are still there");
    mapping.bytes().putInt(0, 1); // lets it end
    Waits.awaitTrue("the kernel to see that", () -> mapping.bytes().getInt(4) == 2);
    Waits.awaitTrue(
        "the device to be given back to its end", () -> sim.simulator().live().isEmpty());
  }
}
