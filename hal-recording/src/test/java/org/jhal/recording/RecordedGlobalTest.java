// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.jhal.Args;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Workgroups;
import org.jhal.recording.Recorded.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables of kernels in recordings, and on twins. */
class RecordedGlobalTest {
  @TempDir private Path folder;

  @BeforeEach
  void assumeCompiler() {
    Recorded.assumeCompiler();
  }

  private static ExecutableSource bundle() {
    return ExecutableSource.builder("scaled")
        .kernel("scale", 4, Parameter.inout("data", ElementType.I32))
        .global("factors", ElementType.I32, 4)
        .global("calls", ElementType.I32, 1)
        .cpp(
            """
            __constant__ int factors[4] = {1, 2, 3, 4};
            __device__ int calls = 10;
            extern "C" __global__ void scale(int* data) {
              data[threadIdx.x] *= factors[threadIdx.x];
              if (threadIdx.x == 0) calls++;
            }
            """)
        .build();
  }

  /** Scales ones, with the values of the source and then with others. */
  private static void run(String uri) throws InterruptedException {
    int[] first = new int[4];
    int[] second = new int[4];
    int[] calls = new int[1];
    try (Device device = Hal.openDevice(uri);
        Executable executable = device.loadExecutable(bundle());
        Sequence sequence = device.createSequence()) {
      Kernel scale = executable.kernel("scale");
      var steps = sequence.on(device.queue(0));
      DeviceBuffer data = steps.uploading(HostMemory.of(new int[] {1, 1, 1, 1}));
      steps.dispatch(scale, Workgroups.of(1), Args.of(data));
      steps.readback(data, HostMemory.of(first));
      steps.upload(HostMemory.of(new int[] {7, 7, 7, 7}), executable.global("factors"));
      steps.dispatch(scale, Workgroups.of(1), Args.of(data));
      steps.readback(data, HostMemory.of(second));
      steps.readback(executable.global("calls"), HostMemory.of(calls));
      sequence.await();
    }
    assertArrayEquals(new int[] {1, 2, 3, 4}, first);
    assertArrayEquals(new int[] {7, 14, 21, 28}, second);
    assertEquals(12, calls[0]);
  }

  @Test
  void aReplayWritesVariablesAsTheProgramDid() throws InterruptedException {
    Path file = folder.resolve("run.jrec");
    run(Recorded.uri("cpu", file));
    Outcome compared = Recorded.replay(file, "cpu", "cpu://?barriers=fiber", null);
    assertEquals(0, compared.exitCode(), compared.text());
    assertTrue(compared.text().contains("2 dispatches agree"), compared.text());
    Outcome outcome = Recorded.replay(file, "cpu", null, null);
    assertEquals(0, outcome.exitCode(), outcome.text());
    assertTrue(outcome.text().contains("readbacks: 2, all with the bytes"), outcome.text());
    assertFalse(outcome.text().contains("not hermetic"), outcome.text());
  }

  @Test
  void twinsHaveTheVariablesOfBothDevices() throws InterruptedException {
    String twin = "twin://?first=cpu&second=cpu";
    try (Device device = Hal.openDevice(twin)) {
      assertTrue(device.capabilities().contains(Capability.KERNEL_GLOBALS));
    }
    run(twin);
  }
}
