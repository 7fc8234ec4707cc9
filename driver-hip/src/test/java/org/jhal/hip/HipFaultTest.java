package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;
import static org.jhal.hip.jna.HipRuntime.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.hip.jna.hipEvent_t;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipModule_t;
import org.jhal.hip.jna.hipStream_t;
import org.jhal.hip.sim.StandIn;
import org.junit.jupiter.api.Test;

/** What goes wrong in the stand-in for the HIP runtime, and what is told of it. */
class HipFaultTest extends OnSimulatedHip {
  private void fail(String function, int nth, int code) {
    simulator.fail(STAND_IN.function(function), nth, code);
  }

  /** Of what is not given back, all but the devices' own contexts, which nobody can give back. */
  private static Map<String, Long> live() {
    Map<String, Long> live = new TreeMap<>(simulator.live());
    live.remove("context");
    return live;
  }

  @Test
  void aHandleThatWasDestroyedIsFound() {
    hipStream_t stream = stream();
    hipEvent_t event = event();
    hipEvent_t copy = new hipEvent_t();
    copy.set(event.get());
    ok(hipEventRecord(event, stream));
    ok(hipEventDestroy(event.take()));
    assertEquals(400, hipEventRecord(copy, stream));
    assertEquals(400, hipEventQuery(copy));
    hipStream_t staleStream = new hipStream_t();
    staleStream.set(stream.get());
    ok(hipStreamDestroy(stream.take()));
    assertEquals(400, hipStreamSynchronize(staleStream));
    hipModule_t module = new hipModule_t();
    ok(load(kernels, module));
    hipFunction_t fill = function(module, "fill");
    ok(hipModuleUnload(module.take()));
    hipStream_t other = stream();
    assertEquals(400, launch(fill, 1, 1, 0, other, memory(64), 5));
    assertEquals(4, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
    assertTrue(
        simulator.misuses().get(0).startsWith(STAND_IN.function("hipEventRecord") + ": the event"));
    assertTrue(simulator.misuses().stream().allMatch(line -> line.endsWith("was destroyed")));
  }

  /** After {@code take} a handle is null, and that is the default stream. */
  @Test
  void nullIsTheDefaultStreamWhichNobodyHereMeans() {
    hipStream_t stream = stream();
    long memory = memory(64);
    ok(hipStreamDestroy(stream.take()));
    assertTrue(stream.isNull());
    assertEquals(400, hipMemsetD8Async(memory, (byte) 1, 64, stream));
    assertTrue(simulator.misuses().get(0).contains("the default stream"));
  }

  @Test
  void memoryThatIsNotThereIsFound() {
    hipStream_t stream = stream();
    long memory = memory(1000);
    assertEquals(hipErrorInvalidValue, hipMemsetD8Async(memory, (byte) 1, 1001, stream));
    assertEquals(hipErrorInvalidValue, hipFree(memory + 8));
    ok(hipFree(memory));
    assertEquals(hipErrorInvalidValue, hipFree(memory));
    assertEquals(hipErrorInvalidValue, hipMemsetD8Async(memory, (byte) 1, 1000, stream));
    ok(hipFree(0));
    ok(hipHostFree(0));
    assertEquals(4, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
  }

  @Test
  void useAfterFreeByAKernelIsFoundWhenItRuns() {
    hipStream_t stream = stream();
    hipFunction_t fill = function("fill");
    long memory = memory(64);
    simulator.pause(0, stream.get());
    ok(launch(fill, 1, 16, 0, stream, memory, 5));
    ok(hipFree(memory));
    simulator.resume(0, stream.get());
    assertEquals(700, hipStreamSynchronize(stream));
    assertTrue(simulator.misuses().get(0).contains("argument 0 of fill"));
  }

  @Test
  void aKernelThatFailsLosesTheDeviceAndNoOther() {
    hipStream_t stream = stream();
    ok(launch(function("wild"), 1, 1, 0, stream, 8L));
    assertEquals(700, hipStreamSynchronize(stream));
    assertEquals(700, hipMalloc(new long[1], 64));
    assertEquals(700, hipStreamDestroy(stream.take()));
    ok(hipSetDevice(1));
    hipStream_t other = stream();
    ok(launch(function("fail"), 1, 1, 0, other));
    assertEquals(719, hipStreamSynchronize(other));
    ok(hipSetDevice(0));
  }

  @Test
  void faultsStrikeTheNthUseOnce() {
    hipStream_t stream = stream();
    hipEvent_t event = event();
    fail("hipEventRecord", 2, 304);
    ok(hipEventRecord(event, stream));
    assertEquals(304, hipEventRecord(event, stream));
    ok(hipEventRecord(event, stream));
    simulator.fail("@kernel", 2, 719);
    long memory = memory(64);
    hipFunction_t fill = function("fill");
    ok(launch(fill, 1, 16, 0, stream, memory, 5));
    ok(hipStreamSynchronize(stream));
    ok(launch(fill, 1, 16, 0, stream, memory, 6));
    assertEquals(719, hipStreamSynchronize(stream));
    assertEquals(719, hipEventQuery(event));
    assertEquals(719, hipEventDestroy(event.take()));
  }

  @Test
  void delaysAndShufflingLeaveTheOrderOfAStream() {
    simulator.seed(7);
    simulator.delay("@fill", Duration.ofMillis(2));
    hipStream_t stream = stream();
    long memory = memory(64);
    for (int i = 0; i < 20; i++) {
      ok(hipMemsetD32Async(memory, i, 16, stream));
    }
    int[] expected = new int[16];
    Arrays.fill(expected, 19);
    assertArrayEquals(expected, read(memory, 16, stream));
  }

  @Test
  void whatIsNotGivenBackIsCounted() {
    hipStream_t stream = stream();
    hipEvent_t event = event();
    long memory = memory(1000);
    long[] host = new long[1];
    ok(hipHostMalloc(host, 10, 0));
    Memory registered = new Memory(64);
    long address = Pointer.nativeValue(registered);
    ok(hipHostRegister(address, 64, 0));
    assertEquals(
        Map.of(
            "stream", 1L,
            "event", 1L,
            "memory", 1L,
            "memory bytes", 1000L,
            "host memory", 1L,
            "registration", 1L),
        live());
    ok(hipHostUnregister(address));
    ok(hipHostFree(host[0]));
    ok(hipFree(memory));
    ok(hipEventDestroy(event.take()));
    ok(hipStreamDestroy(stream.take()));
    assertEquals(Map.of(), live());
    assertEquals(List.of(), simulator.misuses());
  }

  /** That nobody relies on a refusal, which real runtimes have not got before 2026. */
  @Test
  void whatIsRegisteredAlreadyIsRefusedByTheShimOnly() {
    Memory memory = new Memory(64);
    long address = Pointer.nativeValue(memory);
    ok(hipHostRegister(address, 64, 0));
    if (STAND_IN == StandIn.SHIM) {
      assertEquals(712, hipHostRegister(address, 64, 0));
      assertEquals(712, hipHostRegister(address + 32, 8, 0));
      ok(hipHostUnregister(address));
      return;
    }
    ok(hipHostRegister(address, 64, 0));
    ok(hipHostRegister(address + 32, 8, 0));
    assertEquals(2, live().get("registration"));
    long[] device = new long[1];
    ok(hipHostGetDevicePointer(device, address + 48, 0)); // behind the second, in the first
    ok(hipHostUnregister(address));
    assertEquals(hipErrorInvalidValue, hipHostGetDevicePointer(device, address + 48, 0));
    assertEquals(713, hipHostUnregister(address));
    ok(hipHostUnregister(address + 32));
    assertEquals(Map.of(), live());
    assertEquals(1, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
  }

  @Test
  void aKernelOfAnotherDeviceIsRejected() {
    hipStream_t here = stream();
    ok(hipSetDevice(1));
    hipFunction_t there = function("fill");
    long memory = memory(64);
    assertEquals(400, launch(there, 1, 1, 0, here, memory, 5));
    ok(hipSetDevice(0));
    assertEquals(400, launch(there, 1, 1, 0, here, memory, 5));
    assertTrue(simulator.misuses().get(0).contains("do not belong together"));
  }
}
