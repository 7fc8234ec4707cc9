package org.jhal.cuda.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jhal.simulator.SimulatedLibrary;
import org.jhal.simulator.Simulator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The simulated driver library, through JNA. */
class CudaFaceTest {
  private static final String SOURCE =
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

  private static CudaCalls cuda;
  private static Simulator simulator;
  private static NvrtcCalls.Result kernels;

  private final Deadline deadline = new Deadline();
  private long context;

  @BeforeAll
  static void build() {
    for (SimulatedLibrary library : List.of(SimulatedCuda.library(), SimulatedCuda.compiler())) {
      assumeTrue(library.unavailable().isEmpty(), () -> library.unavailable().get());
    }
    cuda = new CudaCalls();
    simulator = Simulator.in(SimulatedCuda.library().path());
    kernels = new NvrtcCalls().compile(SOURCE, "test.cpp", "--gpu-architecture=sm_90");
    assertEquals(0, kernels.code(), kernels.log());
  }

  @BeforeEach
  void start() {
    simulator.reset();
    deadline.begin(simulator);
    context = cuda.start();
  }

  @AfterEach
  void end() {
    deadline.end();
    simulator.reset();
  }

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
  void anEventIsRecordedAgainWhileSomebodyWaitsForTheRecordBefore() {
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
  void misuseIsRememberedAndAnswered() {
    long stream = cuda.stream();
    long event = cuda.event();
    cuda.ok("cuStreamWaitEvent", stream, event, 0);
    cuda.ok("cuEventDestroy_v2", event);
    assertEquals(400, cuda.code("cuEventRecord", event, stream));
    assertEquals(400, cuda.code("cuEventDestroy_v2", event));
    long memory = cuda.make("cuMemAlloc_v2", 1000L);
    assertEquals(1, cuda.code("cuMemsetD8Async", memory, (byte) 1, 1001L, stream));
    assertEquals(1, cuda.code("cuMemFree_v2", memory + 8));
    cuda.ok("cuMemFree_v2", memory);
    assertEquals(1, cuda.code("cuMemFree_v2", memory));
    assertEquals(1, cuda.code("cuMemsetD8Async", memory, (byte) 1, 1000L, stream));
    assertEquals(400, cuda.code("cuMemsetD8Async", memory, (byte) 1, 0L, 0L));
    cuda.ok("cuCtxSetCurrent", 0L);
    assertEquals(201, cuda.code("cuStreamQuery", stream));
    String all = String.join("\n", simulator.misuses());
    for (String part :
        List.of(
            "cuStreamWaitEvent: the event",
            "cuEventRecord: the event",
            "cuEventDestroy_v2: the event",
            "go beyond device memory of 1000 bytes",
            "is inside of device memory",
            "cuMemFree_v2: ",
            "was freed before",
            "that was freed",
            "the default stream",
            "cuStreamQuery: no context is current")) {
      assertTrue(all.contains(part), () -> part + " is not in\n" + all);
    }
    assertEquals(9, simulator.misuses().size(), all);
  }

  @Test
  void useAfterFreeByAKernelIsFoundWhenItRuns() {
    long stream = cuda.stream();
    long fill = cuda.function(kernels.image(), "fill");
    long memory = cuda.make("cuMemAllocAsync", 64L, stream);
    simulator.pause(0, stream);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    cuda.ok("cuMemFree_v2", memory);
    simulator.resume(0, stream);
    assertEquals(700, cuda.code("cuStreamSynchronize", stream));
    assertTrue(simulator.misuses().get(0).contains("argument 0 of fill"));
  }

  @Test
  void aWildPointerFailsTheContextUntilItIsMadeAnew() {
    long stream = cuda.stream();
    long event = cuda.event();
    assertEquals(0, cuda.launch(cuda.function(kernels.image(), "wild"), 1, 1, 0, stream, 8L));
    cuda.code("cuEventRecord", event, stream);
    assertEquals(700, cuda.code("cuStreamSynchronize", stream));
    assertEquals(700, cuda.code("cuEventQuery", event));
    assertEquals(700, cuda.code("cuMemAlloc_v2", new long[1], 16L));
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(709, cuda.code("cuMemAlloc_v2", new long[1], 16L));
    cuda.start();
    cuda.make("cuMemAlloc_v2", 16L);
  }

  @Test
  void aTrapAndAFaultOnPurposeAreTheSame() {
    long stream = cuda.stream();
    assertEquals(0, cuda.launch(cuda.function(kernels.image(), "fail"), 1, 1, 0, stream));
    assertEquals(719, cuda.code("cuStreamSynchronize", stream));
    simulator.reset();
    cuda.start();
    stream = cuda.stream();
    long memory = cuda.make("cuMemAlloc_v2", 64L);
    long fill = cuda.function(kernels.image(), "fill");
    simulator.fail("@kernel", 2, 719);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    cuda.ok("cuStreamSynchronize", stream);
    assertEquals(0, cuda.launch(fill, 1, 16, 0, stream, memory, 5));
    assertEquals(719, cuda.code("cuStreamSynchronize", stream));
  }

  @Test
  void faultsStrikeTheNthUseOnce() {
    long stream = cuda.stream();
    long event = cuda.event();
    simulator.fail("cuEventRecord", 2, 304);
    cuda.ok("cuEventRecord", event, stream);
    assertEquals(304, cuda.code("cuEventRecord", event, stream));
    cuda.ok("cuEventRecord", event, stream);
    simulator.failForGood("cuEventQuery", 719);
    assertEquals(719, cuda.code("cuEventQuery", event));
    assertEquals(719, cuda.code("cuStreamQuery", stream));
    assertEquals(719, cuda.code("cuEventDestroy_v2", event));
  }

  @Test
  void whatIsNotGivenBackIsCounted() {
    long stream = cuda.stream();
    cuda.event();
    cuda.make("cuMemAlloc_v2", 1000L);
    cuda.make("cuMemHostAlloc", 10L, 0);
    Memory host = new Memory(64);
    cuda.ok("cuMemHostRegister_v2", host, 64L, 0);
    assertEquals(712, cuda.code("cuMemHostRegister_v2", host.share(32), 8L, 0));
    Map<String, Long> live =
        Map.of(
            "context", 1L,
            "stream", 1L,
            "event", 1L,
            "memory", 1L,
            "memory bytes", 1000L,
            "host memory", 1L,
            "registration", 1L);
    assertEquals(live, simulator.live());
    cuda.ok("cuMemHostUnregister", host);
    cuda.ok("cuStreamDestroy_v2", stream);
    cuda.ok("cuDevicePrimaryCtxRelease_v2", 0);
    assertEquals(Map.of(), simulator.live());
    assertEquals(Map.of("event", 1L, "memory", 1L, "host memory", 1L), simulator.abandoned());
  }

  @Test
  void poolsKeepWhatTheirThresholdSays() {
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
  void imagesAreRefusedAsTheyAreByTheRealOne() {
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
  void launchesAreChecked() {
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
  void theCompilerSaysWhatIsWrong() {
    NvrtcCalls nvrtc = new NvrtcCalls();
    NvrtcCalls.Result wrong = nvrtc.compile("\n\nint x = y;\n", "wrong.cpp");
    assertEquals(6, wrong.code());
    assertTrue(wrong.log().contains("wrong.cpp:3"), wrong.log());
    assertEquals(5, nvrtc.compile("", "empty.cpp", "--no-such-option").code());
    assertEquals(5, nvrtc.compile("", "empty.cpp", "--gpu-architecture=sm_12").code());
    assertEquals(
        0, nvrtc.compile("int x = VALUE;", "defined.cpp", "-DVALUE=3", "-arch=sm_80").code());
  }
}
