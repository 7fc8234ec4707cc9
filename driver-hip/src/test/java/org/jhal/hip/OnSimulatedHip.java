// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipApi.API;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.GpuLibrary;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.fixture.NativeDeadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The fixture of tests of the bindings: two empty devices, and some kernels. */
abstract class OnSimulatedHip {
  static final String SOURCE =
      """
      extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = fmaf(a, x[i], y[i]);
      }
      extern "C" __global__ void fill(int* out, int value) {
        out[blockIdx.x * blockDim.x + threadIdx.x] = value;
      }
      extern "C" __global__ void wild(int* out) {
        *out = 1;
      }
      extern "C" __global__ void fail() {
        __trap();
      }
      """;

  static final StandIn STAND_IN = StandIn.chosen();

  static Simulator simulator;
  static GpuLibrary library;
  static byte[] kernels;

  private final NativeDeadline deadline = new NativeDeadline();

  @BeforeAll
  static void load() {
    assumeTrue(STAND_IN.unavailable().isEmpty(), () -> STAND_IN.unavailable().get());
    simulator = STAND_IN.simulator();
    simulator.devices(2); // the driver counts them once in a process
    library = HipDriver.library();
    API.calls(null); // whichever binding the driver's devices have
    kernels = compile(STAND_IN.architecture());
  }

  static byte[] compile(String architecture) {
    return Hiprtc.load(library.library(), HipDriver.major(library.number()))
        .compile(SOURCE, "test.cpp", List.of(), architecture, "the test");
  }

  @BeforeEach
  void start() {
    STAND_IN.reset();
    simulator.devices(2);
    deadline.begin(simulator);
  }

  @AfterEach
  void end() {
    deadline.end();
    STAND_IN.reset();
  }

  static void ok(int code) {
    assertEquals(ResultCodes.SUCCESS, code, () -> HipResult.CODES.describe(code));
  }

  static long stream() {
    long[] out = new long[1];
    ok(API.setup().streamCreateWithFlags(out, GpuApi.STREAM_NON_BLOCKING));
    long stream = out[0];
    return stream;
  }

  static long event() {
    long[] out = new long[1];
    ok(
        API.setup()
            .eventCreateWithFlags(out, GpuApi.EVENT_BLOCKING_SYNC | GpuApi.EVENT_DISABLE_TIMING));
    long event = out[0];
    return event;
  }

  /** The properties of a pool of a device. */
  static Memory poolOf(int device) {
    Memory properties = new Memory(GpuSetup.POOL_BYTES);
    properties.clear();
    properties.setInt(GpuSetup.POOL_ALLOCATION_TYPE, GpuSetup.POOL_TYPE_PINNED);
    properties.setInt(GpuSetup.POOL_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    properties.setInt(GpuSetup.POOL_LOCATION_ID, device);
    return properties;
  }

  /** The description of a device's access. */
  static Memory accessOf(int device) {
    Memory access = new Memory(GpuSetup.ACCESS_BYTES);
    access.setInt(GpuSetup.ACCESS_LOCATION_TYPE, GpuSetup.POOL_LOCATION_DEVICE);
    access.setInt(GpuSetup.ACCESS_LOCATION_ID, device);
    access.setInt(GpuSetup.ACCESS_FLAGS, GpuSetup.ACCESS_READ_WRITE);
    return access;
  }

  static long memory(long bytes) {
    long[] out = new long[1];
    ok(API.setup().malloc(out, bytes));
    return out[0];
  }

  static int[] read(long address, int count, long stream) {
    Memory host = new Memory(4L * count);
    ok(API.memcpyDtoHAsync(Pointer.nativeValue(host), address, host.size(), stream));
    ok(API.streamSynchronize(stream));
    return host.getIntArray(0, count);
  }

  static int load(byte[] image, long[] module) {
    Memory memory = new Memory(image.length + 1L);
    memory.clear();
    memory.write(0, image, 0, image.length);
    return API.setup().moduleLoadData(module, memory);
  }

  static long function(String name) {
    long[] module = new long[1];
    ok(load(kernels, module));
    return function(module[0], name);
  }

  static long function(long module, String name) {
    long[] out = new long[1];
    ok(API.setup().moduleGetFunction(out, module, name));
    long function = out[0];
    return function;
  }

  /**
   * Launches along one axis, with packed arguments: Integer or Float, and Long, aligned to their
   * sizes.
   */
  static int launch(
      long function, int blocks, int threads, int shared, long stream, Object... arguments) {
    return launchWith(
        function, blocks, threads, shared, stream, HipConstants.HIP_LAUNCH_PARAM_END, 0, arguments);
  }

  /** With the word that ends the list, and a size that is wrong by some bytes. */
  static int launchWith(
      long function,
      int blocks,
      int threads,
      int shared,
      long stream,
      long end,
      int more,
      Object... arguments) {
    Memory packed = new Memory(256);
    int size = 0;
    for (Object argument : arguments) {
      if (argument instanceof Integer value) {
        packed.setInt(size, value);
        size += 4;
      } else if (argument instanceof Float value) {
        packed.setFloat(size, value);
        size += 4;
      } else {
        size = (size + 7) / 8 * 8;
        packed.setLong(size, (Long) argument);
        size += 8;
      }
    }
    Memory list = new Memory(48);
    list.setLong(0, HipConstants.HIP_LAUNCH_PARAM_BUFFER_POINTER);
    list.setPointer(8, packed);
    list.setLong(16, HipConstants.HIP_LAUNCH_PARAM_BUFFER_SIZE);
    list.setPointer(24, list.share(40));
    list.setLong(32, end);
    list.setLong(40, size + more);
    return API.moduleLaunchKernel(
        function, blocks, 1, 1, threads, 1, 1, shared, stream, 0, Pointer.nativeValue(list));
  }
}
