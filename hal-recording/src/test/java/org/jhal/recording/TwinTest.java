// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two devices that do the same, and the dispatch whose results part. */
@Timeout(120)
class TwinTest {
  private static final int N = 1000;

  private static String twin(String first, String second, String... options) {
    String uri = "twin://?first=" + encoded(first) + "&second=" + encoded(second);
    return options.length == 0 ? uri : uri + "&" + String.join("&", options);
  }

  private static String encoded(String uri) {
    return uri.replace("%", "%25").replace("&", "%26");
  }

  /** Runs {@code to = 3 * from + 1} again and again; what happens is in the sequence. */
  private static int[] affine(Device device, ExecutableSource bundle) throws InterruptedException {
    int[] values = new int[N];
    for (int i = 0; i < N; i++) {
      values[i] = i * i;
    }
    try (Executable executable = device.loadExecutable(bundle);
        Sequence sequence = device.createSequence()) {
      Kernel affine = executable.kernel("affine");
      var steps = sequence.on(device.queue(0));
      DeviceBuffer a = steps.uploading(HostMemory.of(values));
      DeviceBuffer b = steps.allocate(ElementType.I32, N);
      for (int i = 0; i < 5; i++) {
        steps.dispatch(affine, affine.covering(N), Args.of(N, a, b));
        steps.copy(b, a);
      }
      steps.readback(a, HostMemory.of(values));
      sequence.await();
    }
    return values;
  }

  /** Element 3 is 9, 28, 85, 256, ...: the kernel in C++ is wrong in the third step only. */
  @Test
  void aDefectFailsItsDispatch() throws InterruptedException {
    Recorded.assumeCompiler();
    try (Device device = Hal.openDevice(twin("mock", "cpu"))) {
      ExecutableSource wrong = Recorded.bundle("3 * from[i] + (from[i] == 85 ? 2 : 1)");
      HalException failure = assertThrows(HalException.class, () -> affine(device, wrong));
      assertEquals(Status.ABORTED, failure.status());
      assertTrue(!String.valueOf(failure.getMessage()).contains("itself"), failure.getMessage());
      String expected =
          "dispatch 2, recorded:affine, differs on mock (java) and cpu (gpu-c++): to[3], an i32: 256"
              + " and 257, 1 apart; 1 of 1000 elements differ; its inputs are equal";
      assertTrue(String.valueOf(failure.getMessage()).contains(expected), failure.getMessage());
      assertEquals(2308, affine(device, Recorded.bundle(Recorded.RIGHT))[3]); // it goes on
    }
  }

  /** One source with a defect that only one way of compiling it has. */
  @Test
  void aMissingBarrierShowsOnFibers() throws InterruptedException {
    Recorded.assumeCompiler();
    ExecutableSource bundle =
        ExecutableSource.builder("sums")
            .kernel(
                "sums",
                64,
                Parameter.constant("isBroken", ElementType.I32),
                Parameter.in("x", ElementType.I32),
                Parameter.out("sum", ElementType.I32))
            .cpp(
                """
                extern "C" __global__ void sums(int isBroken, const int* x, int* sum) {
                  __shared__ int s[64];
                  int t = threadIdx.x;
                  s[t] = x[blockIdx.x * 64 + t];
                  __syncthreads();
                  for (int h = 32; h > 0; h /= 2) {
                    if (t < h) s[t] += s[t + h];
                    if (!isBroken) __syncthreads();
                  }
                  if (t == 0) sum[blockIdx.x] = s[0];
                }
                """)
            .build();
    try (Device device = Hal.openDevice(twin("cpu", "cpu://?barriers=fiber"));
        Executable executable = device.loadExecutable(bundle);
        Sequence sequence = device.createSequence()) {
      int[] ones = new int[128];
      Arrays.fill(ones, 1);
      var steps = sequence.on(device.queue(1));
      DeviceBuffer x = steps.uploading(HostMemory.of(ones));
      DeviceBuffer sum = steps.allocate(ElementType.I32, 2);
      Kernel sums = executable.kernel("sums");
      steps.dispatch(sums, sums.covering(128), Args.of(0, x, sum));
      sequence.await();
      steps.dispatch(sums, sums.covering(128), Args.of(1, x, sum));
      HalException failure = assertThrows(HalException.class, sequence::await);
      String message = String.valueOf(failure.getMessage());
      assertTrue(
          message.contains("dispatch 1, sums:sums, differs on cpu (gpu-c++) and cpu"), message);
      assertTrue(message.contains("sum[0], an i32: 64 and "), message);
    }
  }

  @ParameterizedTest
  @CsvSource({"mock,mock", "cpu,cpu", "mock,cpu", "cpu,mock"})
  void nothingIsSaidWithoutADefect(String first, String second) throws InterruptedException {
    if (first.equals("cpu") || second.equals("cpu")) {
      Recorded.assumeCompiler();
    }
    try (Device device = Hal.openDevice(twin(first, second))) {
      assertEquals(2308, affine(device, Recorded.bundle(Recorded.RIGHT))[3]);
    }
  }

  /** A kernel whose results differ by 1e-4 from run to run, here of 1000. */
  private static void noisy(String... options) throws InterruptedException {
    runOnThousands("noisy", options);
  }

  private static void runOnThousands(String name, String... options) throws InterruptedException {
    ExecutableSource bundle =
        ExecutableSource.builder(name)
            .kernel(
                name,
                64,
                Parameter.constant("n", ElementType.U32),
                Parameter.in("x", ElementType.F32),
                Parameter.out("y", ElementType.F32))
            .java(Kernels.class)
            .build();
    try (Device device = Hal.openDevice(twin("mock", "mock", options));
        Executable executable = device.loadExecutable(bundle);
        Sequence sequence = device.createSequence()) {
      float[] values = new float[64];
      Arrays.fill(values, 1000);
      Kernel kernel = executable.kernel(name);
      var steps = sequence.on(device.queue(0));
      DeviceBuffer x = steps.uploading(HostMemory.of(values));
      DeviceBuffer y = steps.allocate(ElementType.F32, 64);
      steps.dispatch(kernel, kernel.covering(64), Args.of(64, x, y));
      sequence.await();
    }
  }

  @Test
  void floatsMayDifferAsMuchAsIsAllowed() throws InterruptedException {
    HalException failure = assertThrows(HalException.class, TwinTest::noisy);
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.contains("y[0], an f32: 1000") && message.contains("ulps apart"), message);
    assertThrows(HalException.class, () -> noisy("absolute=0.05"));
    noisy("absolute=0.2");
    noisy("ulps=2000");
    noisy("noise=yes");
  }

  @Test
  void aDeviceThatDiffersFromItselfIsSaidTo() {
    HalException failure = assertThrows(HalException.class, () -> runOnThousands("restless"));
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.contains("the first device differs from itself, too (noise)"), message);
  }

  /** What is fresh on one side has other bytes there than on the other one. */
  @Test
  void whatNothingHasWrittenIsNotCompared() throws InterruptedException {
    try (Device device = Hal.openDevice(twin("mock", "mock"));
        Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer from = device.allocate(ElementType.I32, N);
        DeviceBuffer to = device.allocate(ElementType.I32, N);
        Sequence sequence = device.createSequence()) {
      var steps = sequence.on(device.queue(0));
      Kernel affine = executable.kernel("affine");
      steps.fill(from, FillPattern.of(7));
      steps.dispatch(affine, affine.covering(10), Args.of(10, from, to));
      sequence.await(); // most of the output was not written
      steps.dispatch(affine, affine.covering(N), Args.of(N, to, from));
      HalException failure = assertThrows(HalException.class, sequence::await);
      String message = String.valueOf(failure.getMessage());
      assertTrue(message.contains("to[10], an i32"), message);
      assertTrue(message.contains("nothing has written 990 elements of its input from"), message);
    }
  }

  /**
   * Both devices see what the host writes to a mapping and to its own memory, and it sees theirs.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void hostMemoryIsShared(boolean isImported) throws InterruptedException {
    ByteBuffer own = ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder());
    try (Device device = Hal.openDevice(twin("mock", "mock"));
        Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer buffer =
            isImported
                ? device.allocator().importHost(own, BufferParams.HOST, () -> {})
                : device.allocator().allocate(4 * N, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore done = device.createSemaphore()) {
      ByteBuffer bytes = isImported ? own : mapping.bytes();
      Kernel affine = executable.kernel("affine");
      for (int round = 1; round <= 2; round++) {
        bytes.putInt(0, 4 + round);
        mapping.flush();
        device
            .queue(0)
            .dispatch(
                round == 1 ? Fence.NONE : done.at(round - 1),
                done.at(round),
                affine,
                affine.covering(1),
                Args.of(1, buffer.slice(0, 4), buffer.slice(8, 4)));
        done.await(round);
        mapping.invalidate();
        assertEquals(3 * (4 + round) + 1, bytes.getInt(8));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"mock,cpu,mock-0-q0", "cpu,mock,cpu-0-q0"})
  void anotherFailureNamesTheDevice(String first, String second, String queue)
      throws InterruptedException {
    Recorded.assumeCompiler();
    try (Device device = Hal.openDevice(twin(first, second));
        Executable executable = device.loadExecutable(Recorded.bundle(Recorded.RIGHT));
        DeviceBuffer from = device.allocate(ElementType.I32, 10);
        DeviceBuffer to = device.allocate(ElementType.I32, 5);
        Sequence sequence = device.createSequence()) {
      var steps = sequence.on(device.queue(0));
      Kernel affine = executable.kernel("affine");
      steps.fill(from, FillPattern.of(7));
      steps.dispatch(affine, affine.covering(6), Args.of(6, from, to)); // one more than there is
      HalException failure = assertThrows(HalException.class, sequence::await);
      assertEquals(Status.ABORTED, failure.status());
      String message = String.valueOf(failure.getMessage());
      assertTrue(message.contains(queue + " operation"), message);
    }
  }

  @Test
  void whatCannotBeTwinnedIsRefused() {
    assertRefused(Status.INVALID_ARGUMENT, "twin://?second=mock", "no option 'first'");
    assertRefused(Status.INVALID_ARGUMENT, "twin://?first=mock", "no option 'second'");
    assertRefused(Status.NOT_FOUND, "twin://?first=mock&second=nosuch", "no driver 'nosuch'");
    assertRefused(Status.INVALID_ARGUMENT, twin("mock", "mock", "absolute=x"), "a number from 0");
    assertRefused(Status.OUT_OF_RANGE, twin("mock", "mock", "absolute=-1"), "a number from 0");
    try (Device device = Hal.openDevice(twin("mock", "mock"));
        DeviceBuffer buffer = device.allocate(ElementType.U8, 8);
        TimelineSemaphore done = device.createSemaphore()) {
      HalException refused =
          assertThrows(
              HalException.class,
              () ->
                  device.queue(0).external(Fence.NONE, done.at(1), List.of(buffer), context -> {}));
      assertEquals(Status.UNIMPLEMENTED, refused.status());
      assertThrows(
          HalException.class, () -> device.allocator().allocate(1L << 31, BufferParams.HOST));
    }
  }

  private static void assertRefused(Status status, String uri, String text) {
    HalException refused = assertThrows(HalException.class, () -> Hal.openDevice(uri).close());
    assertEquals(status, refused.status(), refused::toString);
    assertTrue(String.valueOf(refused.getMessage()).contains(text), refused.getMessage());
  }
}
