package org.jhal.hip;

import static org.jhal.hip.jna.HipRuntime.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.List;
import org.jhal.hip.jna.HipConstants;
import org.jhal.hip.jna.hipEvent_t;
import org.jhal.hip.jna.hipFunction_t;
import org.jhal.hip.jna.hipModule_t;
import org.jhal.hip.jna.hipStream_t;
import org.jhal.hip.sim.StandIn;
import org.jhal.simulator.Simulator;
import org.jhal.simulator.kit.NativeDeadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** What tests of the bindings begin with: two devices without anything, and some kernels. */
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
  static HipLibrary library;
  static byte[] kernels;

  private final NativeDeadline deadline = new NativeDeadline();

  @BeforeAll
  static void load() {
    assumeTrue(STAND_IN.unavailable().isEmpty(), () -> STAND_IN.unavailable().get());
    simulator = STAND_IN.simulator();
    simulator.devices(2); // the driver counts them once in a process
    library = HipLibrary.load();
    kernels = compile(STAND_IN.architecture());
  }

  static byte[] compile(String architecture) {
    return Hiprtc.load(library.library(), library.major())
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
    assertEquals(HipConstants.hipSuccess, code, () -> HipResult.CODES.describe(code));
  }

  static hipStream_t stream() {
    long[] out = new long[1];
    ok(hipStreamCreateWithFlags(out, HipConstants.hipStreamNonBlocking));
    hipStream_t stream = new hipStream_t();
    stream.set(out[0]);
    return stream;
  }

  static hipEvent_t event() {
    long[] out = new long[1];
    ok(
        hipEventCreateWithFlags(
            out, HipConstants.hipEventBlockingSync | HipConstants.hipEventDisableTiming));
    hipEvent_t event = new hipEvent_t();
    event.set(out[0]);
    return event;
  }

  static long memory(long bytes) {
    long[] out = new long[1];
    ok(hipMalloc(out, bytes));
    return out[0];
  }

  static int[] read(long address, int count, hipStream_t stream) {
    Memory host = new Memory(4L * count);
    ok(hipMemcpyDtoHAsync(Pointer.nativeValue(host), address, host.size(), stream));
    ok(hipStreamSynchronize(stream));
    return host.getIntArray(0, count);
  }

  static int load(byte[] image, hipModule_t module) {
    Memory memory = new Memory(image.length + 1L);
    memory.clear();
    memory.write(0, image, 0, image.length);
    long[] out = new long[1];
    int code = hipModuleLoadData(out, memory);
    module.set(out[0]);
    return code;
  }

  static hipFunction_t function(String name) {
    hipModule_t module = new hipModule_t();
    ok(load(kernels, module));
    return function(module, name);
  }

  static hipFunction_t function(hipModule_t module, String name) {
    long[] out = new long[1];
    ok(hipModuleGetFunction(out, module, name));
    hipFunction_t function = new hipFunction_t();
    function.set(out[0]);
    return function;
  }

  /**
   * Launches along one axis, with packed arguments: Integer or Float, and Long, aligned to their
   * sizes.
   */
  static int launch(
      hipFunction_t function,
      int blocks,
      int threads,
      int shared,
      hipStream_t stream,
      Object... arguments) {
    return launchWith(
        function, blocks, threads, shared, stream, HipConstants.HIP_LAUNCH_PARAM_END, 0, arguments);
  }

  /** With the word that ends the list, and a size that is wrong by some bytes. */
  static int launchWith(
      hipFunction_t function,
      int blocks,
      int threads,
      int shared,
      hipStream_t stream,
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
    return hipModuleLaunchKernel(
        function, blocks, 1, 1, threads, 1, 1, shared, stream, 0, Pointer.nativeValue(list));
  }
}
