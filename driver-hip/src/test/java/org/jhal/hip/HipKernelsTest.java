// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.simulator.tests.StoreKernels;
import org.junit.jupiter.api.Test;

/** Code that cannot be loaded. */
class HipKernelsTest extends StoreKernels {
  @Test
  void refusesAFileThatIsNoCode() throws IOException {
    Files.writeString(folder.resolve("broken.hsaco"), "no code object");
    refused(
        bundle("store", PARAMETERS, "[1]", "", variant("hip-hsaco", "broken.hsaco")),
        "broken.hsaco",
        "gfx90a",
        "hipModuleLoadData returned");
  }

  @Test
  void skipsCodeForAnotherArchitectureAndNamesBoth() throws IOException {
    Files.write(folder.resolve("other.hsaco"), CodeObjectTest.file("gfx1030"));
    String other = variant("hip-hsaco", "other.hsaco");
    String source = variant("gpu-c++", "store.cpp");
    assertRuns(device.loadExecutable(bundle("store", PARAMETERS, "[1]", "", other + "," + source)));
    HalException alone =
        refused(
            bundle("store", PARAMETERS, "[1]", "", other),
            "other.hsaco",
            "gfx1030",
            "gfx90a:sramecc+:xnack-");
    assertEquals(Status.UNIMPLEMENTED, alone.status());
  }

  @Test
  void skipsFormatsOfOtherVendorsAndNamesThem() throws IOException {
    String ptx = variant("cuda-ptx", "store.ptx");
    String source = variant("gpu-c++", "store.cpp");
    assertRuns(device.loadExecutable(bundle("store", PARAMETERS, "[1]", "", ptx + "," + source)));
    refused(bundle("store", PARAMETERS, "[1]", "", ptx), "cuda-ptx");
  }

  /** A launch counts work items in 32 bits, independently of the limit of workgroups. */
  @Test
  void refusesAGridOfTooManyWorkItems() throws IOException {
    try (Executable kernels = device.loadExecutable(store(PARAMETERS, "[64]", ""));
        DeviceBuffer out = device.allocate(4, BufferParams.DEVICE);
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
                      Workgroups.of(1 << 26),
                      Args.of(out, 5)),
          "67108864",
          "at most 67108863,");
    }
  }
}
