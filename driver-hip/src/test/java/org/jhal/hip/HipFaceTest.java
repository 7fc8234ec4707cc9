package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;
import static org.jhal.hip.jna.HipRuntime.*;
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
import org.jhal.hip.jna.HipMemPoolProps;
import org.jhal.hip.jna.hipEvent_t;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipMemPool_t;
import org.jhal.hip.jna.hipModule_t;
import org.jhal.hip.jna.hipStream_t;
import org.jhal.hip.sim.StandIn;
import org.junit.jupiter.api.Test;

/** What the stand-in for the HIP runtime does, through the bindings. */
class HipFaceTest extends OnSimulatedHip {
  private static hipMemPool_t pool() {
    long[] out = new long[1];
    ok(hipMemPoolCreate(out, HipMemPoolProps.ofDevice(0)));
    hipMemPool_t pool = new hipMemPool_t();
    pool.set(out[0]);
    return pool;
  }

  @Test
  void twoStreamsAndAnEventBetweenThem() {
    int n = 1 << 20;
    hipStream_t first = stream();
    hipStream_t second = stream();
    hipMemPool_t pool = pool();
    long x = memory(4L * n);
    long[] y = new long[1];
    ok(hipMallocFromPoolAsync(y, 4L * n, pool, second));
    hipEvent_t filled = event();
    hipEvent_t done = event();
    simulator.pause(0, first.get());
    ok(hipMemsetD32Async(x, Float.floatToIntBits(3), n, first));
    ok(hipEventRecord(filled, first));
    ok(hipMemsetD32Async(y[0], Float.floatToIntBits(1), n, second));
    ok(hipStreamWaitEvent(second, filled, 0));
    ok(launch(function("saxpy"), n / 256, 256, 0, second, n, 2f, x, y[0]));
    ok(hipEventRecord(done, second));
    assertEquals(hipErrorNotReady, hipEventQuery(done), "the second stream waits for the first");
    assertEquals(hipErrorNotReady, hipStreamQuery(second));
    simulator.resume(0, first.get());
    ok(hipEventSynchronize(done));
    ok(hipEventQuery(done));
    ok(hipStreamQuery(second));
    int[] expected = new int[n];
    Arrays.fill(expected, Float.floatToIntBits(7));
    assertArrayEquals(expected, read(y[0], n, second));
    ok(hipFreeAsync(y[0], second));
    ok(hipStreamSynchronize(second));
    ok(hipMemPoolDestroy(pool.take()));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void anEventIsRecordedAgainWhileSomebodyWaitsForTheRecordBefore() {
    hipStream_t first = stream();
    hipStream_t second = stream();
    hipEvent_t event = event();
    simulator.pause(0, second.get());
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    ok(hipStreamSynchronize(first));
    simulator.pause(0, first.get());
    ok(hipEventRecord(event, first));
    simulator.resume(0, second.get());
    ok(hipStreamSynchronize(second));
    assertEquals(hipErrorNotReady, hipEventQuery(event));
    simulator.resume(0, first.get());
    ok(hipEventSynchronize(event));
  }

  @Test
  void fillsAndCopiesOfAllWidths() {
    hipStream_t stream = stream();
    long memory = memory(16);
    long other = memory(16);
    ok(hipMemsetD8Async(memory, (byte) 0x81, 4, stream));
    ok(hipMemsetD16Async(memory + 4, (short) 0x8283, 2, stream));
    ok(hipMemsetD32Async(memory + 8, 0x84858687, 2, stream));
    ok(hipMemcpyDtoDAsync(other, memory, 16, stream));
    int[] expected = {0x81818181, 0x82838283, 0x84858687, 0x84858687};
    assertArrayEquals(expected, read(other, 4, stream));
    Memory host = new Memory(8);
    host.setLong(0, 17);
    ok(hipMemcpyAsync(other, Pointer.nativeValue(host), 8, hipMemcpyDefault, stream));
    assertArrayEquals(new int[] {17, 0}, read(other, 2, stream));
    assertEquals(21, hipMemcpyAsync(other, memory, 8, 5, stream));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void poolsKeepWhatTheirThresholdSays() {
    simulator.memory(1 << 20);
    hipStream_t stream = stream();
    hipMemPool_t pool = pool();
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, new long[] {400_000}));
    assertEquals(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, 99, new long[1]));
    long[] out = new long[1];
    ok(hipMallocFromPoolAsync(out, 600_000, pool, stream));
    assertEquals(2, hipMallocFromPoolAsync(new long[1], 600_000, pool, stream));
    ok(hipFreeAsync(out[0], stream));
    ok(hipStreamSynchronize(stream));
    long direct = memory(1_000_000); // a pool gives way to other memory
    assertEquals(2, hipMallocFromPoolAsync(new long[1], 600_000, pool, stream));
    ok(hipFree(direct));
    ok(hipMallocFromPoolAsync(out, 600_000, pool, stream));
  }

  @Test
  void imagesAreRefusedWithTheCodesOfARealRuntime() {
    hipModule_t module = new hipModule_t();
    assertEquals(
        200, load("no image at all, of whatever kind".getBytes(StandardCharsets.UTF_8), module));
    byte[] other = kernels.clone();
    other[18] = (byte) 224;
    assertEquals(209, load(other, module));
    ok(load(kernels, module));
    assertEquals(500, hipModuleGetFunction(new long[1], module, "missing"));
    ok(hipModuleUnload(module.take()));
    assertTrue(module.isNull());
  }

  @Test
  void aCodeObjectForAnotherArchitectureIsRefused() {
    assumeTrue(STAND_IN == StandIn.SIMULATOR, "only AMD's code objects are for one architecture");
    hipModule_t module = new hipModule_t();
    assertEquals(209, load(compile("gfx1030"), module));
    assertEquals(209, load(compile("gfx90a:xnack+"), module));
    ok(load(compile("gfx90a"), module));
  }

  @Test
  void launchesAreChecked() {
    hipStream_t stream = stream();
    hipFunction_t fill = function("fill");
    long memory = memory(4096);
    assertEquals(hipErrorInvalidValue, launch(fill, 1, 1025, 0, stream, memory, 5));
    int[] most = new int[1];
    ok(hipDeviceGetAttribute(most, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    assertEquals(hipErrorInvalidValue, launch(fill, 1, 1, 1 << 20, stream, memory, 5));
    ok(launch(fill, 1, 1, most[0], stream, memory, 5));
    assertEquals(5, read(memory, 1, stream)[0]);
    ok(launchWith(fill, 1, 1, 0, stream, HIP_LAUNCH_PARAM_END, 0, memory, 6));
    assertEquals(6, read(memory, 1, stream)[0]);
    assertEquals(hipErrorInvalidValue, launchWith(fill, 1, 1, 0, stream, 0, 0, memory, 7));
    assertEquals(701, launchWith(fill, 1, 1, 0, stream, HIP_LAUNCH_PARAM_END, -4, memory, 7));
    int[] value = new int[1];
    ok(hipFuncGetAttribute(value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fill));
    assertEquals(1024, value[0]);
    ok(hipFuncGetAttribute(value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fill));
    assertEquals(0, value[0]);
  }

  @Test
  void devicesAreCountedAndDescribed() {
    int[] value = new int[1];
    ok(hipGetDeviceCount(value));
    assertEquals(2, value[0]);
    for (int device = 0; device < 2; device++) {
      assertEquals(STAND_IN.architecture(), HipArchitecture.of(library.library(), device));
      byte[] name = new byte[64];
      ok(hipDeviceGetName(name, name.length, device));
      assertEquals(
          "Simulated GPU " + device, new String(name, StandardCharsets.UTF_8).split("\0")[0]);
      byte[] uuid = new byte[16];
      ok(hipDeviceGetUuid(uuid, device));
      assertEquals(device + 1, uuid[15]);
      ok(hipDeviceGetAttribute(value, hipDeviceAttributePciBusId, device));
      assertEquals(device + 1, value[0]);
      long[] bytes = new long[1];
      ok(hipDeviceTotalMem(bytes, device));
      assertEquals(16L << 30, bytes[0]);
    }
    for (int attribute :
        List.of(
            hipDeviceAttributeMaxBlockDimX,
            hipDeviceAttributeMaxBlockDimY,
            hipDeviceAttributeMaxBlockDimZ,
            hipDeviceAttributeMaxGridDimX,
            hipDeviceAttributeMaxGridDimY,
            hipDeviceAttributeMaxGridDimZ,
            hipDeviceAttributeMaxThreadsPerBlock,
            hipDeviceAttributeMultiprocessorCount,
            hipDeviceAttributeMaxSharedMemoryPerBlock,
            hipDeviceAttributeWarpSize,
            hipDeviceAttributeMemoryPoolsSupported)) {
      ok(hipDeviceGetAttribute(value, attribute, 0));
      assertTrue(value[0] > 0, () -> "attribute " + attribute);
    }
    assertEquals(hipErrorInvalidDevice, hipDeviceGetAttribute(value, 26, 2));
    simulator.devices(0);
    assertTrue(HipResult.isNoDevice(hipGetDeviceCount(value)));
  }

  @Test
  void eachThreadHasADeviceOfItsOwn() throws Exception {
    int[] value = new int[1];
    ok(hipSetDevice(1));
    ok(hipGetDevice(value));
    assertEquals(1, value[0]);
    CompletableFuture<Integer> other =
        CompletableFuture.supplyAsync(
            () -> {
              int[] current = new int[1];
              ok(hipGetDevice(current));
              return current[0];
            });
    assertEquals(0, other.get(10, TimeUnit.SECONDS), "on a thread that has chosen none");
    assertEquals(hipErrorInvalidDevice, hipSetDevice(2));
    ok(hipGetDevice(value));
    assertEquals(1, value[0]);
    ok(hipSetDevice(0));
  }

  @Test
  void codesHaveNames() {
    assertEquals("hipErrorNotReady", hipGetErrorName(hipErrorNotReady));
    assertTrue(HipResult.CODES.describe(719).startsWith("719 hipErrorLaunchFailure ("));
    assertEquals("12345, which has no known name", HipResult.CODES.describe(12345));
    assertEquals(new NativeCode(12345, null), HipResult.CODES.nativeCode(12345));
    assertEquals(
        new NativeCode(719, "hipErrorLaunchFailure"),
        HipResult.CODES.failure("hipEventQuery", 719, "").nativeCode());
    assertEquals(Status.UNKNOWN, HipResult.CODES.status(12345));
    assertEquals(Status.UNAVAILABLE, HipResult.CODES.failure("hipEventQuery", 719, "").status());
  }

  @Test
  void theCompilerSaysWhatIsWrong() {
    Hiprtc hiprtc = Hiprtc.load(library.library(), library.major());
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
  void pageableMemoryIsReadWhenItIsAskedFor() {
    hipStream_t stream = stream();
    long memory = memory(8);
    Memory host = new Memory(8);
    host.setLong(0, 17);
    simulator.pause(0, 0);
    ok(hipMemcpyHtoDAsync(memory, Pointer.nativeValue(host), 8, stream));
    host.setLong(0, 18);
    simulator.resume(0, 0);
    assertEquals(17, read(memory, 2, stream)[0]);
  }

  @Test
  void pageLockedMemoryHasAnAddressOnTheDevice() {
    long[] out = new long[1];
    ok(hipHostMalloc(out, 100, hipHostMallocPortable | hipHostMallocMapped));
    long[] device = new long[1];
    ok(hipHostGetDevicePointer(device, out[0] + 4, 0));
    assertEquals(out[0] + 4, device[0]);
    Memory pageable = new Memory(8192);
    long address = Pointer.nativeValue(pageable);
    assertEquals(hipErrorInvalidValue, hipHostGetDevicePointer(device, address, 0));
    ok(hipHostRegister(address, 8192, hipHostRegisterMapped));
    ok(hipHostGetDevicePointer(device, address, 0));
    assertEquals(address, device[0]);
    ok(hipHostUnregister(address));
    ok(hipHostFree(out[0]));
    assertEquals(List.of(), simulator.misuses());
  }
}
