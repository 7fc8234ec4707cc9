// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.gpu.compile.KernelLoader;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.hip.sim.StandIn;
import org.junit.jupiter.api.Test;

/** The stand-in for the HIP runtime, through the bindings. */
class HipFaceTest extends OnSimulatedHip {
  private static long pool() {
    long[] out = new long[1];
    ok(API.setup().memPoolCreate(out, poolOf(0)));
    long pool = out[0];
    return pool;
  }

  @Test
  void twoStreamsAndAnEventBetweenThem() {
    int n = 1 << 20;
    long first = stream();
    long second = stream();
    long pool = pool();
    long x = memory(4L * n);
    long[] y = new long[1];
    ok(API.mallocFromPoolAsync(y, 4L * n, pool, second));
    long filled = event();
    long done = event();
    simulator.pause(0, first);
    ok(API.memsetD32Async(x, Float.floatToIntBits(3), n, first));
    ok(API.eventRecord(filled, first));
    ok(API.memsetD32Async(y[0], Float.floatToIntBits(1), n, second));
    ok(API.streamWaitEvent(second, filled, 0));
    ok(launch(function("saxpy"), n / 256, 256, 0, second, n, 2f, x, y[0]));
    ok(API.eventRecord(done, second));
    assertEquals(GpuApi.NOT_READY, API.eventQuery(done), "the second stream waits for the first");
    assertEquals(GpuApi.NOT_READY, API.streamQuery(second));
    simulator.resume(0, first);
    ok(API.eventSynchronize(done));
    ok(API.eventQuery(done));
    ok(API.streamQuery(second));
    int[] expected = new int[n];
    Arrays.fill(expected, Float.floatToIntBits(7));
    assertArrayEquals(expected, read(y[0], n, second));
    ok(API.freeAsync(y[0], second));
    ok(API.streamSynchronize(second));
    ok(API.setup().memPoolDestroy(pool));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void anEventIsRecordedAgainWhileAStreamWaitsForItsLastRecord() {
    long first = stream();
    long second = stream();
    long event = event();
    simulator.pause(0, second);
    ok(API.eventRecord(event, first));
    ok(API.streamWaitEvent(second, event, 0));
    ok(API.streamSynchronize(first));
    simulator.pause(0, first);
    ok(API.eventRecord(event, first));
    simulator.resume(0, second);
    ok(API.streamSynchronize(second));
    assertEquals(GpuApi.NOT_READY, API.eventQuery(event));
    simulator.resume(0, first);
    ok(API.eventSynchronize(event));
  }

  @Test
  void fillsAndCopiesOfAllWidths() {
    long stream = stream();
    long memory = memory(16);
    long other = memory(16);
    ok(API.memsetD8Async(memory, (byte) 0x81, 4, stream));
    ok(API.memsetD16Async(memory + 4, (short) 0x8283, 2, stream));
    ok(API.memsetD32Async(memory + 8, 0x84858687, 2, stream));
    ok(API.memcpyDtoDAsync(other, memory, 16, stream));
    int[] expected = {0x81818181, 0x82838283, 0x84858687, 0x84858687};
    assertArrayEquals(expected, read(other, 4, stream));
    Memory host = new Memory(8);
    host.setLong(0, 17);
    ok(API.memcpyAsync(other, Pointer.nativeValue(host), 8, GpuApi.MEMCPY_DEFAULT, stream));
    assertArrayEquals(new int[] {17, 0}, read(other, 2, stream));
    assertEquals(21, API.memcpyAsync(other, memory, 8, 5, stream));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void poolsKeepMemoryUpToTheirThreshold() {
    simulator.memory(1 << 20);
    long stream = stream();
    long pool = pool();
    ok(
        API.setup()
            .memPoolSetAttribute(pool, GpuSetup.POOL_RELEASE_THRESHOLD, new long[] {400_000}));
    assertEquals(hipErrorInvalidValue, API.setup().memPoolSetAttribute(pool, 99, new long[1]));
    long[] out = new long[1];
    ok(API.mallocFromPoolAsync(out, 600_000, pool, stream));
    assertEquals(2, API.mallocFromPoolAsync(new long[1], 600_000, pool, stream));
    ok(API.freeAsync(out[0], stream));
    ok(API.streamSynchronize(stream));
    long direct = memory(1_000_000); // a pool gives way to other memory
    assertEquals(2, API.mallocFromPoolAsync(new long[1], 600_000, pool, stream));
    ok(API.setup().free(direct));
    ok(API.mallocFromPoolAsync(out, 600_000, pool, stream));
  }

  @Test
  void refusesImagesWithTheCodesOfARealRuntime() {
    long[] module = new long[1];
    assertEquals(
        200, load("no image at all, of whatever kind".getBytes(StandardCharsets.UTF_8), module));
    byte[] other = kernels.clone();
    other[18] = (byte) 224;
    assertEquals(209, load(other, module));
    ok(load(kernels, module));
    assertEquals(500, API.setup().moduleGetFunction(new long[1], module[0], "missing"));
    ok(API.setup().moduleUnload(module[0]));
  }

  @Test
  void aCodeObjectForAnotherArchitectureIsRefused() {
    assumeTrue(STAND_IN == StandIn.SIMULATOR, "only AMD's code objects are for one architecture");
    long[] module = new long[1];
    assertEquals(209, load(compile("gfx1030"), module));
    assertEquals(209, load(compile("gfx90a:xnack+"), module));
    ok(load(compile("gfx90a"), module));
  }

  @Test
  void checksLaunches() {
    long stream = stream();
    long fill = function("fill");
    long memory = memory(4096);
    assertEquals(hipErrorInvalidValue, launch(fill, 1, 1025, 0, stream, memory, 5));
    int[] most = new int[1];
    ok(API.setup().deviceGetAttribute(most, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    assertEquals(hipErrorInvalidValue, launch(fill, 1, 1, 1 << 20, stream, memory, 5));
    ok(launch(fill, 1, 1, most[0], stream, memory, 5));
    assertEquals(5, read(memory, 1, stream)[0]);
    ok(launchWith(fill, 1, 1, 0, stream, HIP_LAUNCH_PARAM_END, 0, memory, 6));
    assertEquals(6, read(memory, 1, stream)[0]);
    assertEquals(hipErrorInvalidValue, launchWith(fill, 1, 1, 0, stream, 0, 0, memory, 7));
    assertEquals(701, launchWith(fill, 1, 1, 0, stream, HIP_LAUNCH_PARAM_END, -4, memory, 7));
    int[] value = new int[1];
    ok(API.setup().funcGetAttribute(value, KernelLoader.MAX_THREADS, fill));
    assertEquals(1024, value[0]);
    ok(API.setup().funcGetAttribute(value, KernelLoader.STATIC_SHARED_BYTES, fill));
    assertEquals(0, value[0]);
  }

  @Test
  void devicesAreCountedAndDescribed() {
    int[] value = new int[1];
    ok(API.setup().getDeviceCount(value));
    assertEquals(2, value[0]);
    for (int device = 0; device < 2; device++) {
      assertEquals(STAND_IN.architecture(), HipAttributes.architecture(library.library(), device));
      byte[] name = new byte[64];
      ok(API.setup().deviceGetName(name, name.length, device));
      assertEquals(
          "Simulated GPU " + device, new String(name, StandardCharsets.UTF_8).split("\0")[0]);
      byte[] uuid = new byte[16];
      ok(API.setup().deviceGetUuid(uuid, device));
      assertEquals(device + 1, uuid[15]);
      ok(API.setup().deviceGetAttribute(value, hipDeviceAttributePciBusId, device));
      assertEquals(device + 1, value[0]);
      long[] bytes = new long[1];
      ok(API.setup().deviceTotalMem(bytes, device));
      assertEquals(16L << 30, bytes[0]);
    }
    for (int attribute :
        List.of(
            hipDeviceAttributeMaxBlockDimX,
            hipDeviceAttributeMaxBlockDimX + 1,
            hipDeviceAttributeMaxBlockDimX + 2,
            hipDeviceAttributeMaxGridDimX,
            hipDeviceAttributeMaxGridDimX + 1,
            hipDeviceAttributeMaxGridDimX + 2,
            hipDeviceAttributeMaxThreadsPerBlock,
            hipDeviceAttributeMultiprocessorCount,
            hipDeviceAttributeMaxSharedMemoryPerBlock,
            hipDeviceAttributeWarpSize,
            hipDeviceAttributeMemoryPoolsSupported)) {
      ok(API.setup().deviceGetAttribute(value, attribute, 0));
      assertTrue(value[0] > 0, () -> "attribute " + attribute);
    }
    assertEquals(GpuApi.INVALID_DEVICE, API.setup().deviceGetAttribute(value, 26, 2));
    simulator.devices(0);
    assertEquals(GpuApi.NO_DEVICE, API.setup().getDeviceCount(value));
  }

  @Test
  void eachThreadHasItsOwnDevice() throws Exception {
    int[] value = new int[1];
    ok(API.setDevice(1));
    ok(API.getDevice(value));
    assertEquals(1, value[0]);
    CompletableFuture<Integer> other =
        CompletableFuture.supplyAsync(
            () -> {
              int[] current = new int[1];
              ok(API.getDevice(current));
              return current[0];
            });
    assertEquals(0, other.get(10, TimeUnit.SECONDS), "on a thread that has chosen none");
    assertEquals(GpuApi.INVALID_DEVICE, API.setDevice(2));
    ok(API.getDevice(value));
    assertEquals(1, value[0]);
    ok(API.setDevice(0));
  }

  @Test
  void codesHaveNames() {
    assertEquals("hipErrorNotReady", API.setup().getErrorName(GpuApi.NOT_READY));
    assertTrue(HipResult.CODES.describe(719).startsWith("719 hipErrorLaunchFailure ("));
    assertEquals("12345, which has no known name", HipResult.CODES.describe(12345));
    assertEquals(
        new NativeCode(12345, null), HipResult.CODES.failure("init", 12345, "").nativeCode());
    assertEquals(
        new NativeCode(719, "hipErrorLaunchFailure"),
        HipResult.CODES.failure("eventQuery", 719, "").nativeCode());
    assertEquals(Status.UNKNOWN, HipResult.CODES.status(12345));
    assertEquals(Status.UNAVAILABLE, HipResult.CODES.failure("eventQuery", 719, "").status());
  }

  @Test
  void theCompilerReportsErrors() {
    Hiprtc hiprtc = Hiprtc.load(library.library(), HipDriver.major(library.number()));
    String own = STAND_IN.architecture();
    HalException wrong =
        assertThrows(
            HalException.class,
            () -> hiprtc.compile("\n\nint x = y;\n", "wrong.cpp", List.of(), own, "it"));
    assertEquals(Status.INVALID_ARGUMENT, wrong.status());
    assertTrue(wrong.getMessage().contains("wrong.cpp:3"), wrong::getMessage);
    HalException option =
        assertThrows(
            HalException.class,
            () -> hiprtc.compile("", "empty.cpp", List.of("--no-such-option"), own, "it"));
    assertTrue(option.getMessage().contains("--no-such-option"), option::getMessage);
    byte[] code = hiprtc.compile("int x = VALUE;", "defined.cpp", List.of("-DVALUE=3"), own, "it");
    assertNotEquals(0, code.length);
    HalException unknown =
        assertThrows(
            HalException.class, () -> hiprtc.compile("", "empty.cpp", List.of(), "gfx1", "it"));
    assertEquals(Status.UNIMPLEMENTED, unknown.status());
    assertTrue(unknown.getMessage().contains("no code for gfx1, only for "), unknown::getMessage);
  }

  @Test
  void readsPageableMemoryAtTheCall() {
    long stream = stream();
    long memory = memory(8);
    Memory host = new Memory(8);
    host.setLong(0, 17);
    simulator.pause(0, 0);
    ok(API.memcpyHtoDAsync(memory, Pointer.nativeValue(host), 8, stream));
    host.setLong(0, 18);
    simulator.resume(0, 0);
    assertEquals(17, read(memory, 2, stream)[0]);
  }

  @Test
  void pageLockedMemoryHasAnAddressOnTheDevice() {
    long[] out = new long[1];
    ok(API.setup().hostMalloc(out, 100, GpuApi.HOST_ALLOC_PORTABLE | GpuApi.HOST_ALLOC_MAPPED));
    long[] device = new long[1];
    ok(API.setup().hostGetDevicePointer(device, out[0] + 4, 0));
    assertEquals(out[0] + 4, device[0]);
    Memory pageable = new Memory(8192);
    long address = Pointer.nativeValue(pageable);
    assertEquals(hipErrorInvalidValue, API.setup().hostGetDevicePointer(device, address, 0));
    ok(API.setup().hostRegister(address, 8192, GpuApi.HOST_REGISTER_MAPPED));
    ok(API.setup().hostGetDevicePointer(device, address, 0));
    assertEquals(address, device[0]);
    ok(API.setup().hostUnregister(address));
    ok(API.setup().hostFree(out[0]));
    assertEquals(List.of(), simulator.misuses());
  }
}
