// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;
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
import org.jhal.hip.sim.StandIn;
import org.junit.jupiter.api.Test;

/** Failures in the stand-in for the HIP runtime, and its reports. */
class HipFaultTest extends OnSimulatedHip {
  private void fail(String function, int nth, int code) {
    simulator.fail(STAND_IN.function(function), nth, code);
  }

  /** Objects that were not released, without the devices' contexts, which HIP cannot release. */
  private static Map<String, Long> live() {
    Map<String, Long> live = new TreeMap<>(simulator.live());
    live.remove("context");
    return live;
  }

  @Test
  void findsUseOfADestroyedHandle() {
    long stream = stream();
    long event = event();
    ok(API.eventRecord(event, stream));
    ok(API.setup().eventDestroy(event));
    assertEquals(400, API.eventRecord(event, stream));
    assertEquals(400, API.eventQuery(event));
    ok(API.setup().streamDestroy(stream));
    assertEquals(400, API.streamSynchronize(stream));
    long[] module = new long[1];
    ok(load(kernels, module));
    long fill = function(module[0], "fill");
    ok(API.setup().moduleUnload(module[0]));
    long other = stream();
    assertEquals(400, launch(fill, 1, 1, 0, other, memory(64), 5));
    assertEquals(4, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
    assertTrue(
        simulator.misuses().get(0).startsWith(STAND_IN.function("hipEventRecord") + ": the event"));
    assertTrue(simulator.misuses().stream().allMatch(line -> line.endsWith("was destroyed")));
  }

  @Test
  void reportsUseOfTheDefaultStream() {
    long memory = memory(64);
    assertEquals(400, API.memsetD8Async(memory, (byte) 1, 64, 0));
    assertTrue(simulator.misuses().get(0).contains("the default stream"));
  }

  @Test
  void findsUseOfMissingMemory() {
    long stream = stream();
    long memory = memory(1000);
    assertEquals(hipErrorInvalidValue, API.memsetD8Async(memory, (byte) 1, 1001, stream));
    assertEquals(hipErrorInvalidValue, API.setup().free(memory + 8));
    ok(API.setup().free(memory));
    assertEquals(hipErrorInvalidValue, API.setup().free(memory));
    assertEquals(hipErrorInvalidValue, API.memsetD8Async(memory, (byte) 1, 1000, stream));
    ok(API.setup().free(0));
    ok(API.setup().hostFree(0));
    assertEquals(4, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
  }

  @Test
  void findsUseAfterFreeWhenTheKernelRuns() {
    long stream = stream();
    long fill = function("fill");
    long memory = memory(64);
    simulator.pause(0, stream);
    ok(launch(fill, 1, 16, 0, stream, memory, 5));
    ok(API.setup().free(memory));
    simulator.resume(0, stream);
    assertEquals(700, API.streamSynchronize(stream));
    assertTrue(simulator.misuses().get(0).contains("argument 0 of fill"));
  }

  @Test
  void aFailedKernelLosesOnlyItsDevice() {
    long stream = stream();
    ok(launch(function("wild"), 1, 1, 0, stream, 8L));
    assertEquals(700, API.streamSynchronize(stream));
    assertEquals(700, API.setup().malloc(new long[1], 64));
    assertEquals(700, API.setup().streamDestroy(stream));
    ok(API.setDevice(1));
    long other = stream();
    ok(launch(function("fail"), 1, 1, 0, other));
    assertEquals(719, API.streamSynchronize(other));
    ok(API.setDevice(0));
  }

  @Test
  void aFaultFailsTheNthUseOnce() {
    long stream = stream();
    long event = event();
    fail("hipEventRecord", 2, 304);
    ok(API.eventRecord(event, stream));
    assertEquals(304, API.eventRecord(event, stream));
    ok(API.eventRecord(event, stream));
    simulator.fail("@kernel", 2, 719);
    long memory = memory(64);
    long fill = function("fill");
    ok(launch(fill, 1, 16, 0, stream, memory, 5));
    ok(API.streamSynchronize(stream));
    ok(launch(fill, 1, 16, 0, stream, memory, 6));
    assertEquals(719, API.streamSynchronize(stream));
    assertEquals(719, API.eventQuery(event));
    assertEquals(719, API.setup().eventDestroy(event));
  }

  @Test
  void delaysAndShufflingKeepTheOrderOfAStream() {
    simulator.seed(7);
    simulator.delay("@fill", Duration.ofMillis(2));
    long stream = stream();
    long memory = memory(64);
    for (int i = 0; i < 20; i++) {
      ok(API.memsetD32Async(memory, i, 16, stream));
    }
    int[] expected = new int[16];
    Arrays.fill(expected, 19);
    assertArrayEquals(expected, read(memory, 16, stream));
  }

  @Test
  void countsObjectsThatAreNotReleased() {
    long stream = stream();
    long event = event();
    long memory = memory(1000);
    long[] host = new long[1];
    ok(API.setup().hostMalloc(host, 10, 0));
    Memory registered = new Memory(64);
    long address = Pointer.nativeValue(registered);
    ok(API.setup().hostRegister(address, 64, 0));
    assertEquals(
        Map.of(
            "stream", 1L,
            "event", 1L,
            "memory", 1L,
            "memory bytes", 1000L,
            "host memory", 1L,
            "registration", 1L),
        live());
    ok(API.setup().hostUnregister(address));
    ok(API.setup().hostFree(host[0]));
    ok(API.setup().free(memory));
    ok(API.setup().eventDestroy(event));
    ok(API.setup().streamDestroy(stream));
    assertEquals(Map.of(), live());
    assertEquals(List.of(), simulator.misuses());
  }

  /** JHAL does not rely on a refusal, which real runtimes lack before 2026. */
  @Test
  void onlyTheShimRefusesASecondRegistration() {
    Memory memory = new Memory(64);
    long address = Pointer.nativeValue(memory);
    ok(API.setup().hostRegister(address, 64, 0));
    if (STAND_IN == StandIn.SHIM) {
      assertEquals(712, API.setup().hostRegister(address, 64, 0));
      assertEquals(712, API.setup().hostRegister(address + 32, 8, 0));
      ok(API.setup().hostUnregister(address));
      return;
    }
    ok(API.setup().hostRegister(address, 64, 0));
    ok(API.setup().hostRegister(address + 32, 8, 0));
    assertEquals(2, live().get("registration"));
    long[] device = new long[1];
    ok(
        API.setup()
            .hostGetDevicePointer(device, address + 48, 0)); // behind the second, in the first
    ok(API.setup().hostUnregister(address));
    assertEquals(hipErrorInvalidValue, API.setup().hostGetDevicePointer(device, address + 48, 0));
    assertEquals(713, API.setup().hostUnregister(address));
    ok(API.setup().hostUnregister(address + 32));
    assertEquals(Map.of(), live());
    assertEquals(1, simulator.misuses().size(), () -> String.join("\n", simulator.misuses()));
  }

  @Test
  void rejectsAKernelOfAnotherDevice() {
    long here = stream();
    ok(API.setDevice(1));
    long there = function("fill");
    long memory = memory(64);
    assertEquals(400, launch(there, 1, 1, 0, here, memory, 5));
    ok(API.setDevice(0));
    assertEquals(400, launch(there, 1, 1, 0, here, memory, 5));
    assertTrue(simulator.misuses().get(0).contains("do not belong together"));
  }
}
