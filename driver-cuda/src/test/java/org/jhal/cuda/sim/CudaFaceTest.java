// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulated driver library, through JNA. */
class CudaFaceTest extends OnSimulatedCuda {
  @Test
  void twoStreamsAndAnEventBetweenThem() {
    int n = 1 << 20;
    long first = cuda.stream();
    long second = cuda.stream();
    long x = cuda.make("cuMemAlloc_v2", 4L * n);
    long y = cuda.make("cuMemAllocAsync", 4L * n, second);
    long filled = cuda.event();
    long done = cuda.event();
    int one = Float.floatToIntBits(1);
    simulator.pause(0, first);
    cuda.ok("cuMemsetD32Async", x, Float.floatToIntBits(3), (long) n, first);
    cuda.ok("cuEventRecord", filled, first);
    cuda.ok("cuMemsetD32Async", y, one, (long) n, second);
    cuda.ok("cuStreamWaitEvent", second, filled, 0);
    long saxpy = cuda.function(kernels.image(), "saxpy");
    assertEquals(0, cuda.launch(saxpy, n / 256, 256, 0, second, n, 2f, x, y));
    cuda.ok("cuEventRecord", done, second);
    assertEquals(600, cuda.code("cuEventQuery", done), "the second stream waits for the first");
    simulator.resume(0, first);
    cuda.ok("cuEventSynchronize", done);
    cuda.ok("cuEventQuery", done);
    float[] result = new float[n];
    cuda.ok("cuMemcpyDtoH_v2", result, y, 4L * n);
    float[] expected = new float[n];
    Arrays.fill(expected, 7f);
    assertArrayEquals(expected, result);
    assertEquals(List.of(), simulator.misuses());
    assertEquals(2L, simulator.calls().get("cuStreamCreate"));
  }

  @Test
  void anEventIsRecordedAgainWhileAStreamWaitsForItsLastRecord() {
    long first = cuda.stream();
    long second = cuda.stream();
    long event = cuda.event();
    simulator.pause(0, second);
    cuda.ok("cuEventRecord", event, first);
    cuda.ok("cuStreamWaitEvent", second, event, 0);
    cuda.ok("cuStreamSynchronize", first);
    simulator.pause(0, first);
    cuda.ok("cuEventRecord", event, first);
    simulator.resume(0, second);
    cuda.ok("cuStreamSynchronize", second);
    assertEquals(600, cuda.code("cuEventQuery", event));
    simulator.resume(0, first);
    cuda.ok("cuEventSynchronize", event);
  }

  @Test
  void poolsKeepMemoryUpToTheirThreshold() {
    simulator.memory(1 << 20);
    long stream = cuda.stream();
    long pool = cuda.make("cuDeviceGetDefaultMemPool", 0);
    cuda.ok("cuMemPoolSetAttribute", pool, 4, new long[] {400_000});
    long first = cuda.make("cuMemAllocAsync", 600_000L, stream);
    assertEquals(2, cuda.code("cuMemAllocAsync", new long[1], 600_000L, stream));
    cuda.ok("cuMemFreeAsync", first, stream);
    long second = cuda.make("cuMemAllocAsync", 600_000L, stream);
    cuda.ok("cuMemFreeAsync", second, stream);
    cuda.ok("cuStreamSynchronize", stream);
    assertEquals(400_000, poolValue(pool, 5));
    assertEquals(0, poolValue(pool, 7));
    cuda.make("cuMemAlloc_v2", 1_000_000L);
    assertEquals(0, poolValue(pool, 5), "a pool gives way to other memory");
    assertEquals(2, cuda.code("cuMemAlloc_v2", new long[1], 100_000L));
    assertEquals(List.of(), simulator.misuses());
  }

  private static long poolValue(long pool, int attribute) {
    long[] value = new long[1];
    cuda.ok("cuMemPoolGetAttribute", pool, attribute, value);
    return value[0];
  }

  @Test
  void refusesImagesWithTheCodesOfTheRealDriver() {
    assertEquals(218, load(".version 8.0\n.target sm_90\n".getBytes(StandardCharsets.UTF_8)));
    assertEquals(200, load("no image at all, of whatever kind".getBytes(StandardCharsets.UTF_8)));
    byte[] other = kernels.image().clone();
    other[18] = (byte) 224;
    assertEquals(209, load(other));
    long module = 0;
    assertEquals(400, cuda.code("cuModuleGetFunction", new long[1], module, "saxpy"));
    cuda.function(kernels.image(), "saxpy");
    Memory image = new Memory(kernels.image().length);
    image.write(0, kernels.image(), 0, kernels.image().length);
    module = cuda.make("cuModuleLoadData", image);
    assertEquals(500, cuda.code("cuModuleGetFunction", new long[1], module, "missing"));
  }

  private static int load(byte[] bytes) {
    Memory image = new Memory(bytes.length + 1L);
    image.write(0, bytes, 0, bytes.length);
    image.setByte(bytes.length, (byte) 0);
    Memory log = new Memory(256);
    log.clear();
    Memory values = new Memory(16);
    values.setPointer(0, log);
    values.setLong(8, 256);
    int code = cuda.code("cuModuleLoadDataEx", new long[1], image, 2, new int[] {5, 6}, values);
    assertEquals(code == 218, !log.getString(0).isEmpty());
    assertEquals(log.getString(0).length(), values.getLong(8));
    return code;
  }

  @Test
  void checksLaunches() {
    long stream = cuda.stream();
    long fill = cuda.function(kernels.image(), "fill");
    long memory = cuda.make("cuMemAlloc_v2", 4096L);
    assertEquals(1, cuda.launch(fill, 1, 1025, 0, stream, memory, 5));
    assertEquals(1, cuda.launch(fill, 0, 1, 0, stream, memory, 5));
    assertEquals(1, cuda.launch(fill, 1, 1, 49_153, stream, memory, 5));
    cuda.ok("cuFuncSetAttribute", fill, 8, 232_448);
    assertEquals(1, cuda.code("cuFuncSetAttribute", fill, 8, 232_449));
    assertEquals(0, cuda.launch(fill, 1, 1, 49_153, stream, memory, 5));
    assertEquals(701, launchPacked(fill, stream, 8, memory, 5));
    assertEquals(0, launchPacked(fill, stream, 12, memory, 6));
    cuda.ok("cuStreamSynchronize", stream);
    int[] seen = new int[1];
    cuda.ok("cuMemcpyDtoH_v2", seen, memory, 4L);
    assertEquals(6, seen[0]);
    long[] offset = new long[1];
    long[] size = new long[1];
    cuda.ok("cuFuncGetParamInfo", fill, 1L, offset, size);
    assertEquals(8, offset[0]);
    assertEquals(4, size[0]);
    assertEquals(1, cuda.code("cuFuncGetParamInfo", fill, 2L, offset, size));
  }

  private static int launchPacked(long function, long stream, long bytes, long memory, int value) {
    Memory packed = new Memory(16);
    packed.setLong(0, memory);
    packed.setInt(8, value);
    Memory size = new Memory(8);
    size.setLong(0, bytes);
    Memory extra = new Memory(40);
    extra.setLong(0, 1);
    extra.setPointer(8, packed);
    extra.setLong(16, 2);
    extra.setPointer(24, size);
    extra.setLong(32, 0);
    return cuda.code("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, Pointer.NULL, extra);
  }

  @Test
  void devicesAreCountedAndNamed() {
    simulator.devices(2);
    assertEquals(2, (int) cuda.make("cuDeviceGetCount"));
    assertEquals(1, (int) cuda.make("cuDeviceGetByPCIBusId", "0000:02:00.0"));
    assertEquals(101, cuda.code("cuDeviceGet", new long[1], 2));
    simulator.devices(0);
    assertEquals(100, cuda.code("cuInit", 0));
    assertTrue(context != 0);
  }

  @Test
  void theCompilerReportsErrors() {
    NvrtcCalls nvrtc = new NvrtcCalls();
    NvrtcCalls.Result wrong = nvrtc.compile("\n\nint x = y;\n", "wrong.cpp");
    assertEquals(6, wrong.code());
    assertTrue(wrong.log().contains("wrong.cpp:3"), wrong.log());
    assertEquals(5, nvrtc.compile("", "empty.cpp", "--no-such-option").code());
    assertEquals(5, nvrtc.compile("", "empty.cpp", "--gpu-architecture=sm_12").code());
    assertEquals(
        0, nvrtc.compile("int x = VALUE;", "defined.cpp", "-DVALUE=3", "-arch=sm_80").code());
  }

  @Test
  void readsPageableMemoryAtTheCall() {
    long stream = cuda.stream();
    long memory = cuda.make("cuMemAlloc_v2", 8L);
    Memory host = new Memory(8);
    host.setLong(0, 17);
    simulator.pause(0, 0);
    cuda.ok("cuMemcpyHtoDAsync_v2", memory, host, 8L, stream);
    host.setLong(0, 18);
    simulator.resume(0, 0);
    cuda.ok("cuMemcpyDtoHAsync_v2", host, memory, 8L, stream);
    assertEquals(17, host.getLong(0), "the copy back is done when the call returns");
  }

  @Test
  void streamsWaitForValuesInMemory() {
    long waiting = cuda.stream();
    long writing = cuda.stream();
    long flag = cuda.make("cuMemAlloc_v2", 4L);
    cuda.ok("cuMemsetD32_v2", flag, 0, 1L);
    cuda.ok("cuStreamWaitValue32_v2", waiting, flag, 5, 0);
    assertEquals(600, cuda.code("cuStreamQuery", waiting));
    cuda.ok("cuStreamWriteValue32_v2", writing, flag, 6, 0);
    cuda.ok("cuStreamSynchronize", waiting);
  }

  /** A stream that waits holds back those that share its hardware queue, and no others. */
  @Test
  void streamsMayShareHardwareQueues() {
    simulator.hardwareQueues(2);
    long waiting = cuda.stream();
    long other = cuda.stream();
    long sharing = cuda.stream();
    long memory = cuda.make("cuMemAlloc_v2", 8L);
    cuda.ok("cuMemsetD32_v2", memory, 0, 2L);
    cuda.ok("cuStreamWaitValue32_v2", waiting, memory, 1, 0);
    cuda.ok("cuMemsetD32Async", memory + 4, 7, 1L, sharing);
    cuda.ok("cuMemsetD32Async", memory + 4, 8, 1L, other);
    cuda.ok("cuStreamSynchronize", other);
    assertEquals(600, cuda.code("cuStreamQuery", sharing));
    cuda.ok("cuStreamWriteValue32_v2", other, memory, 1, 0);
    cuda.ok("cuStreamSynchronize", sharing);
  }

  @Test
  void returnsThePropertiesOfAnAddress() {
    long memory = cuda.make("cuMemAlloc_v2", 100L);
    assertEquals(2, (int) cuda.make("cuPointerGetAttribute", 2, memory + 50));
    assertEquals(memory, cuda.make("cuPointerGetAttribute", 11, memory + 50));
    assertEquals(context, cuda.make("cuPointerGetAttribute", 1, memory));
    long host = cuda.make("cuMemHostAlloc", 100L, 2);
    assertEquals(1, (int) cuda.make("cuPointerGetAttribute", 2, host));
    assertEquals(host + 4, cuda.make("cuMemHostGetDevicePointer_v2", host + 4, 0));
    assertEquals(1, cuda.code("cuPointerGetAttribute", new long[1], 2, 4096L));
    assertEquals(List.of(), simulator.misuses());
  }

  @Test
  void allocatesMoreMemoryThanTheHostHas() {
    simulator.memory(1L << 40);
    long stream = cuda.stream();
    long memory = cuda.make("cuMemAllocAsync", 6L << 30, stream);
    cuda.ok("cuMemsetD8Async", memory + (5L << 30), (byte) 7, 4L, stream);
    byte[] seen = new byte[4];
    cuda.ok("cuStreamSynchronize", stream);
    cuda.ok("cuMemcpyDtoH_v2", seen, memory + (5L << 30), 4L);
    assertArrayEquals(new byte[] {7, 7, 7, 7}, seen);
    cuda.ok("cuMemFreeAsync", memory, stream);
  }
}
