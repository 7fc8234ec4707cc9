// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.checks;

import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U64;
import static org.jhal.Parameter.constant;
import static org.jhal.Parameter.inout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
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
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lies where a kernel must not access: another buffer, one that was freed, shared memory. */
@NeedsCompiler
class NeighboursTest {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int ITEMS = 64;

  private static final String SOURCE =
      """
      extern "C" __global__ void across(int* x, int* y) {
        if (threadIdx.x == 0) *(volatile long long*)(x + 15) = y[0];
      }
      extern "C" __global__ void store(unsigned long long at, int* t) {
        if (threadIdx.x == 0) *(int*)at = t[0];
      }
      extern "C" __global__ void where(unsigned long long* address, int* t) {
        if (threadIdx.x == 0) *address = (unsigned long long)t;
      }
      extern __shared__ int work[];
      extern "C" __global__ void turn(int by, int* out) {
        work[threadIdx.x] = out[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = work[(int)threadIdx.x + by];
      }
      extern "C" __global__ void turn_alone(int by, int* out) {
        work[threadIdx.x] = out[threadIdx.x];
        out[threadIdx.x] = work[(int)threadIdx.x + by];
      }
      """;

  private final Device device = Hal.openDevice("cpu://?cache=off&check=memory,values&threads=2");
  private Executable kernels;

  @BeforeEach
  void load() {
    int bytes = 4 * ITEMS;
    kernels =
        device.loadExecutable(
            ExecutableSource.builder("neighbours")
                .kernel("across", ITEMS, inout("x", I32), inout("y", I32))
                .kernel("store", ITEMS, constant("at", U64), inout("t", I32))
                .kernel("where", ITEMS, inout("address", U64), inout("t", I32))
                .kernel("turn", Workgroups.of(ITEMS), bytes, constant("by", I32), inout("out", I32))
                .kernel(
                    "turn_alone",
                    Workgroups.of(ITEMS),
                    bytes,
                    constant("by", I32),
                    inout("out", I32))
                .cpp(SOURCE)
                .build());
  }

  @AfterEach
  void close() {
    kernels.close();
    device.close();
  }

  private void run(String name, Object... args) throws InterruptedException {
    try (Sequence steps = device.createSequence()) {
      QueueSteps on = steps.on(device.queue(0));
      Kernel kernel = kernels.kernel(name);
      on.dispatch(kernel, Workgroups.of(4), Args.of(args));
      steps.await(LIMIT);
    }
  }

  private String failure(String name, Object... args) {
    HalException failure = assertThrows(HalException.class, () -> run(name, args));
    assertEquals(Status.ABORTED, failure.status(), failure::toString);
    return String.valueOf(failure.getMessage());
  }

  private DeviceBuffer zeros(int bytes) throws InterruptedException {
    DeviceBuffer buffer = device.allocate(bytes, BufferParams.DEVICE);
    try (Sequence steps = device.createSequence()) {
      steps.on(device.queue(0)).upload(HostMemory.of(new byte[bytes]), buffer);
      steps.await(LIMIT);
    }
    return buffer;
  }

  @Test
  void aBufferBehindAnotherIsNamed() throws Exception {
    try (DeviceBuffer both = zeros(128)) {
      String text = failure("across", both.slice(0, 64), both.slice(64, 64));
      assertTrue(
          text.contains(
              "writes outside 'x': element 15 of 16 (i32), across its end, where 'y' begins"),
          text);
    }
  }

  @Test
  void buffersThatOthersHaveAreNamed() throws Exception {
    try (DeviceBuffer address = zeros(8);
        DeviceBuffer small = zeros(64)) {
      DeviceBuffer other = zeros(64);
      run("where", address, other);
      long at = read(address);
      String text = failure("store", at + 8, small);
      assertTrue(text.contains(", in another buffer of the device, 't' of the last kernel"), text);
      other.close();
      text = failure("store", at + 8, small);
      assertTrue(text.contains(", in a buffer that was freed, 't' of the last kernel"), text);
    }
  }

  private long read(DeviceBuffer buffer) throws InterruptedException {
    long[] value = new long[1];
    try (Sequence steps = device.createSequence()) {
      steps.on(device.queue(0)).readback(buffer, HostMemory.of(value));
      steps.await(LIMIT);
    }
    return value[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {"turn", "turn_alone"})
  void dynamicSharedMemoryHasAnEnd(String kernel) throws Exception {
    try (DeviceBuffer out = zeros(4 * ITEMS)) {
      run(kernel, 0, out);
      String text = failure(kernel, 1, out);
      assertTrue(
          text.contains(
              "reads outside 'dynamic shared memory': element 64 (4 bytes each) of 256 bytes of"
                  + " shared memory, 0 bytes past its end"),
          text);
      assertTrue(text.contains("by work item (63, 0, 0)"), text);
      text = failure(kernel, -1, out);
      assertTrue(text.contains("4 bytes before its start"), text);
    }
  }
}
