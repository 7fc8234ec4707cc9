package org.jhal.simulator.tests;

import static org.jhal.Parameter.in;
import static org.jhal.Parameter.out;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.simulator.kit.ProbeJvm;
import org.jhal.simulator.kit.SimulatedDevices;
import org.jhal.simulator.kit.SimulatedGpu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kernels in C++ as others write them: warps, cooperative groups, 16-bit floats, include files of a
 * toolkit. A driver's tests extend this.
 */
@Timeout(120)
public abstract class GpuDialectTest {
  private static final int ITEMS = 64; // of a workgroup
  private static final int COUNT = 2 * ITEMS;

  /** The devices. */
  @RegisterExtension protected final SimulatedDevices sim;

  protected GpuDialectTest(SimulatedGpu gpu) {
    this.sim = new SimulatedDevices(gpu);
  }

  private static String text() {
    try (InputStream source = GpuDialectTest.class.getResourceAsStream("dialect.cpp")) {
      return new String(Objects.requireNonNull(source).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read dialect.cpp", e);
    }
  }

  /** The bundle, with one kernel. */
  static ExecutableSource bundle(String kernel, ElementType... results) {
    Parameter[] parameters = new Parameter[1 + results.length];
    parameters[0] = in("in", ElementType.F32);
    for (int i = 0; i < results.length; i++) {
      parameters[1 + i] = out("out" + i, results[i]);
    }
    BundleBuilder builder =
        kernel.equals("reversed")
            ? ExecutableSource.builder("dialect")
                .kernel(kernel, Workgroups.of(ITEMS), 4 * ITEMS, parameters)
            : ExecutableSource.builder("dialect").kernel(kernel, ITEMS, parameters);
    return builder.cpp(text()).build();
  }

  private static float value(int i) {
    return (i * 37 % 64 - 20) / 4.0f;
  }

  private Device open() {
    return sim.open(sim.driver().name() + "://0?close-timeout=200ms");
  }

  private static ByteBuffer bytes(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
  }

  /** Runs a kernel on values, and returns each of its results. */
  static ByteBuffer[] run(Device device, String kernel, int values, ElementType... results) {
    ByteBuffer input = bytes(4 * values);
    for (int i = 0; i < values; i++) {
      input.putFloat(4 * i, value(i));
    }
    ByteBuffer[] output = new ByteBuffer[results.length];
    try (Executable loaded = device.loadExecutable(bundle(kernel, results));
        DeviceBuffer from = device.allocate(4L * values, BufferParams.DEVICE);
        DeviceBuffer to = device.allocate(8L * COUNT, BufferParams.DEVICE);
        DeviceBuffer other = device.allocate(8L * COUNT, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).upload(Fence.NONE, done.at(1), input, from, 0);
      Args args = results.length == 1 ? Args.of(from, to) : Args.of(from, to, other);
      device
          .queue(0)
          .dispatch(
              done.at(1), done.at(2), loaded.kernel(kernel), Workgroups.of(COUNT / ITEMS), args);
      for (int i = 0; i < results.length; i++) {
        output[i] = bytes(8 * COUNT);
        device.queue(0).readback(done.at(2 + i), done.at(3 + i), i == 0 ? to : other, 0, output[i]);
      }
      awaitReached(done, 2 + results.length);
    }
    return output;
  }

  private ByteBuffer[] run(String kernel, int values, ElementType... results) {
    try (Device device = open()) {
      return run(device, kernel, values, results);
    }
  }

  @Test
  void reducesInWarps() {
    ByteBuffer result = run("warps", COUNT, ElementType.F32)[0];
    for (int group = 0; group < COUNT / ITEMS; group++) {
      float sum = 0; // exact
      for (int i = 0; i < ITEMS; i++) {
        sum += value(group * ITEMS + i);
      }
      assertEquals(sum, result.getFloat(4 * group), "group " + group);
    }
  }

  @Test
  void reducesInTiles() {
    ByteBuffer result = run("tiles", COUNT, ElementType.F32)[0];
    for (int first = 0; first < COUNT; first += 16) {
      float sum = 0;
      float most = Float.NEGATIVE_INFINITY;
      for (int i = first; i < first + 16; i++) {
        float wanted =
            first / 16 % 2 == 1
                ? -1
                : i == first ? total(i, 16) : i == first + 1 ? largest(first) : sum;
        assertEquals(wanted, result.getFloat(4 * i), "item " + i);
        sum += value(i);
        most = Math.max(most, value(i));
      }
    }
  }

  private static float total(int first, int count) {
    float sum = 0;
    for (int i = first; i < first + count; i++) {
      sum += value(i);
    }
    return sum;
  }

  private static float largest(int first) {
    float most = value(first);
    for (int i = first; i < first + 16; i++) {
      most = Math.max(most, value(i));
    }
    return most;
  }

  @Test
  void votes() {
    ByteBuffer result = run("votes", COUNT, ElementType.U32)[0];
    for (int first = 0; first < COUNT; first += 32) {
      int positive = 0;
      int count = 0;
      for (int i = 0; i < 32; i++) {
        positive |= value(first + i) > 0 ? 1 << i : 0;
      }
      for (int i = first / ITEMS * ITEMS; i < first / ITEMS * ITEMS + ITEMS; i++) {
        count += value(i) > 0 ? 1 : 0;
      }
      assertEquals(positive, result.getInt(4 * first), "tile of item " + first);
      for (int i = first + 1; i < first + 32; i++) {
        assertEquals(count << 2 | 2, result.getInt(4 * i), "item " + i);
      }
    }
  }

  @Test
  void computesWithNumbersOf16Bits() {
    ByteBuffer[] results = run("shorts", COUNT, ElementType.F16, ElementType.BF16);
    for (int i = 0; i < COUNT; i++) {
      float square = value(i) * value(i); // has at most 11 bits, and is a half; of bf16 it has 8
      assertEquals(roundedTo(square + 0.5f, 11), half(results[0].getShort(2 * i)), "item " + i);
      float other = Float.intBitsToFloat(results[1].getShort(2 * i) << 16);
      assertEquals(roundedTo(square, 8), other, "item " + i);
    }
  }

  /** The nearest number with so many significant bits; of two, the even one. */
  private static float roundedTo(float x, int bits) {
    float unit = Math.ulp(x) * (1 << 24 - bits);
    return (float) Math.rint(x / unit) * unit;
  }

  /** The value of a positive normal half. */
  private static float half(short bits) {
    return Float.intBitsToFloat((bits << 13) + ((127 - 15) << 23));
  }

  @Test
  void loadsVectors() {
    ByteBuffer result = run("vectors", 4 * COUNT, ElementType.F32)[0];
    for (int i = 0; i < COUNT; i++) {
      float wanted = Math.max(value(4 * i) * value(4 * i + 1), value(4 * i + 2) * value(4 * i + 3));
      assertEquals(wanted, result.getFloat(4 * i), "item " + i);
    }
  }

  @Test
  void sharesDynamicMemory() {
    ByteBuffer result = run("reversed", COUNT, ElementType.F32)[0];
    for (int i = 0; i < COUNT; i++) {
      int other = i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS;
      assertEquals(value(other), result.getFloat(4 * i), "item " + i);
    }
  }

  @Test
  void knowsConstantsAndFastFunctions() {
    ByteBuffer result = run("math", COUNT, ElementType.F64)[0];
    for (int i = 0; i < COUNT; i++) {
      double x = value(i) * value(i) + 1.0;
      double wanted = Math.log(x) + Math.exp(-x) + Math.PI + (1L << 40);
      assertEquals(wanted, result.getDouble(8 * i), 1e-3, "item " + i);
    }
  }

  @Test
  void endsWithTheCodeOfAnAssertionOrATrap() {
    for (Map.Entry<String, Integer> wanted : Map.of("asserting", 710, "trapping", 719).entrySet()) {
      try (Device device = open();
          Executable loaded = device.loadExecutable(bundle(wanted.getKey(), ElementType.F32));
          DeviceBuffer from = device.allocate(4L * ITEMS, BufferParams.DEVICE);
          DeviceBuffer to = device.allocate(4L * ITEMS, BufferParams.DEVICE);
          TimelineSemaphore done = device.createSemaphore(0)) {
        device.queue(0).upload(Fence.NONE, done.at(1), bytes(4 * ITEMS), from, 0);
        device
            .queue(0)
            .dispatch(
                done.at(1),
                done.at(2),
                loaded.kernel(wanted.getKey()),
                Workgroups.of(1),
                Args.of(from, to));
        HalException failure = awaitFailure(done, 2);
        NativeCode code = failure.nativeCode();
        assertNotNull(code, failure::toString);
        assertEquals((int) wanted.getValue(), code.value(), failure::toString);
      }
      sim.simulator().reset();
    }
  }

  /** A real device may hang here. */
  @Test
  void failsWhereLanesOfAMaskDoNotCome() {
    String source =
        """
        extern "C" __global__ void alone(int* out) {
          int value = threadIdx.x;
          if (value < 8) value = __shfl_sync(0xFFFF, value, 0);
          __syncthreads();
          out[threadIdx.x] = value;
        }
        """;
    try (Device device = open();
        Executable loaded =
            device.loadExecutable(
                ExecutableSource.builder("alone")
                    .kernel("alone", 32, out("out", ElementType.I32))
                    .cpp(source)
                    .build());
        DeviceBuffer to = device.allocate(4 * 32, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device
          .queue(0)
          .dispatch(Fence.NONE, done.at(1), loaded.kernel("alone"), Workgroups.of(1), Args.of(to));
      HalException failure = awaitFailure(done, 1);
      assertTrue(failure.toString().contains("719"), failure::toString);
    }
    List<String> misuses = sim.simulator().misuses();
    assertTrue(misuses.toString().contains("waits for the lanes 0xffff"), misuses::toString);
    sim.simulator().reset();
  }

  /** Each module must be unloaded: the library of the next one may get its name. */
  @Test
  void unloadsSharedMemoryOfTemplates() {
    String source =
        """
        template <class T> __device__ T other(T value) {
          __shared__ T values[2];
          values[threadIdx.x] = value;
          __syncthreads();
          return values[1 - threadIdx.x];
        }
        extern "C" __global__ void swapped%d(int* out) { out[threadIdx.x] = other((int)threadIdx.x); }
        """;
    try (Device device = open()) {
      for (int i = 0; i < 3; i++) {
        device
            .loadExecutable(
                ExecutableSource.builder("swapped")
                    .kernel("swapped" + i, 2, out("out", ElementType.I32))
                    .cpp(source.formatted(i))
                    .build())
            .close();
        awaitTrue("the module to be unloaded", () -> !sim.live().containsKey("module"));
      }
    }
  }

  @Test
  void prints(@TempDir Path folder) throws Exception {
    List<String> lines =
        new ProbeJvm(folder, Map.of(), Map.of(), Printing.class, sim.driver().name() + "://0")
            .lines();
    assertTrue(lines.contains("item 3 of all has 6.75"), lines::toString);
  }

  /** A process whose output is what a kernel prints. */
  public static final class Printing {
    private Printing() {}

    /** Its argument is a device. */
    public static void main(String[] args) {
      try (Device device = org.jhal.Hal.openDevice(args[0])) {
        run(device, "printing", COUNT, ElementType.F32);
      }
    }
  }
}
