// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import static org.jhal.hip.jna.HipApi.API;
import static org.jhal.hip.jna.HipConstants.*;

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.baselines.HipLoops;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Allocations;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Subject;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.gpu.natives.GpuApi;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.hip.jna.HipTable;
import org.jhal.hip.jna.HiprtcApi;

/**
 * The cost of a call of the HIP runtime through the bindings of its driver, compared with a loop in
 * C that calls the same function of the same library with the same handles, on the same thread.
 *
 * <p>For one thread, whose device is the one that is measured from the first sample until this is
 * closed.
 */
public final class HipCalls implements AutoCloseable {
  /** The driver whose devices they are for. */
  static final String DRIVER = "hip";

  /** The name of the baseline. */
  static final String NAME = "C";

  private static final int CALLS = 100_000;

  /** How many calls are made at a time: fewer than a stream accepts before it blocks its caller. */
  private static final int BATCH = 500;

  /** The functions. */
  private enum Kind {
    GET_DEVICE("hipGetDevice"),
    EVENT_QUERY("hipEventQuery"),
    EVENT_RECORD("hipEventRecord"),
    LAUNCH("hipModuleLaunchKernel");

    final String kernel;

    Kind(String kernel) {
      this.kernel = kernel;
    }
  }

  /** Makes calls; returns how many nanoseconds they took. */
  private interface Batch {
    long run(int count) throws Exception;
  }

  private final Device device;
  private final DeviceInfo info;
  private final HipLoops loops;
  private final HipTable hip; // in the binding of the device
  private final int[] out = new int[1];
  private long stream; // 0 until it is made
  private long event; // 0 until it is made
  private long module; // 0 until it is made
  private long kernel; // 0 until it is made
  private final Memory word = new Memory(Integer.BYTES);
  private final Memory arguments = new Memory(Long.BYTES + Integer.BYTES);
  private final Memory extra = new Memory(6 * Long.BYTES);
  private int deviceBefore = -1;
  private long target;

  /**
   * Calls nothing yet.
   *
   * @param device that the kernel is for
   * @param info of that device
   * @param loops the other side; closed with this
   */
  HipCalls(Device device, DeviceInfo info, HipLoops loops) {
    this.device = device;
    this.info = info;
    this.loops = loops;
    boolean isFfm = BindingOption.FFM.equals(info.properties().get("binding"));
    this.hip = API.calls(isFfm ? BindingOption.require() : null);
  }

  /** The case. */
  public static List<BenchCase> all() {
    return List.of(
        new BenchCase(
            "hip-calls",
            "a native call through the bindings, and the heap that it takes",
            "ns",
            List.of("time", "bytes"),
            false,
            DRIVER,
            HipCalls::series));
  }

  private static List<Series> series(Bench bench) {
    HipCalls calls =
        bench
            .shared()
            .get(
                "hip-calls",
                HipCalls.class,
                () ->
                    new HipCalls(
                        bench.device(), bench.device().info(), new HipLoops(System.getenv())));
    int steps = bench.steps(CALLS);
    List<Series> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      all.add(
          new Series(
              kind.kernel,
              calls.subject(Subject.JHAL, kind, steps, count -> calls.inJava(kind, count)),
              List.of(calls.subject(NAME, kind, steps, count -> calls.inC(kind, count)))));
    }
    return all;
  }

  private Subject subject(String name, Kind kind, int steps, Batch batch) {
    return new Subject() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public double[] sample() throws Exception {
        open();
        if (kind == Kind.LAUNCH) {
          load();
        }
        Allocations allocations = name.equals(JHAL) ? Allocations.begin() : null;
        long nanos = 0;
        for (int left = steps; left > 0; left -= BATCH) {
          nanos += batch.run(Math.min(left, BATCH));
          check(hip.streamSynchronize(stream), "hipStreamSynchronize");
        }
        double bytes = allocations == null ? Double.NaN : (double) allocations.bytes() / steps;
        if (kind == Kind.LAUNCH) {
          expectTouched();
        }
        return new double[] {(double) nanos / steps, bytes};
      }
    };
  }

  // The calls: a loop for each, which the compiler of the JVM sees alone.

  private long inJava(Kind kind, int count) {
    long start = System.nanoTime();
    switch (kind) {
      case GET_DEVICE -> getDevice(count);
      case EVENT_QUERY -> queryEvent(count);
      case EVENT_RECORD -> recordEvent(count);
      case LAUNCH -> launch(count);
    }
    return System.nanoTime() - start;
  }

  private void getDevice(int count) {
    for (int i = 0; i < count; i++) {
      check(hip.getDevice(out), "hipGetDevice");
    }
  }

  private void queryEvent(int count) {
    for (int i = 0; i < count; i++) {
      check(hip.eventQuery(event), "hipEventQuery");
    }
  }

  private void recordEvent(int count) {
    for (int i = 0; i < count; i++) {
      check(hip.eventRecord(event, stream), "hipEventRecord");
    }
  }

  private void launch(int count) {
    long list = Pointer.nativeValue(extra);
    for (int i = 0; i < count; i++) {
      check(
          hip.moduleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, list),
          "hipModuleLaunchKernel");
    }
  }

  private long inC(Kind kind, int count) throws Exception {
    Object[] handles =
        switch (kind) {
          case GET_DEVICE -> new Object[0];
          case EVENT_QUERY -> new Object[] {event};
          case EVENT_RECORD -> new Object[] {event, stream};
          case LAUNCH -> new Object[] {kernel, stream, extra};
        };
    NativeLibrary library = NativeLibrary.getInstance(property("library"));
    long nanos = loops.run(library, kind.kernel, count, handles);
    check(nanos < 0 ? (int) -nanos : ResultCodes.SUCCESS, kind.kernel);
    return nanos;
  }

  private String property(String name) {
    return Objects.requireNonNull(info.properties().get(name), name);
  }

  private static void check(int code, String call) {
    if (code != ResultCodes.SUCCESS) {
      throw new IllegalStateException(
          call + ": " + API.setup().getErrorName(code) + " (" + code + ")");
    }
  }

  // The arguments of the calls.

  private void open() {
    if (deviceBefore >= 0) {
      return;
    }
    check(hip.getDevice(out), "hipGetDevice");
    int before = out[0];
    check(hip.setDevice(info.index()), "hipSetDevice");
    deviceBefore = before;
    long[] handle = new long[1];
    check(
        API.setup().streamCreateWithFlags(handle, GpuApi.STREAM_NON_BLOCKING),
        "hipStreamCreateWithFlags");
    stream = handle[0];
    check(
        API.setup().eventCreateWithFlags(handle, GpuApi.EVENT_DISABLE_TIMING),
        "hipEventCreateWithFlags");
    event = handle[0];
    recordEvent(1);
    check(hip.streamSynchronize(stream), "hipStreamSynchronize");
  }

  /** Loads the kernel once, and clears the word that it writes. */
  private void load() throws Exception {
    if (kernel == 0) {
      byte[] code = compile();
      Memory image = new Memory(code.length + 1L); // a text ends with a zero
      image.clear();
      image.write(0, code, 0, code.length);
      long[] made = new long[1];
      check(API.setup().moduleLoadData(made, image), "hipModuleLoadData");
      module = made[0];
      check(API.setup().malloc(made, word.size()), "hipMalloc");
      target = made[0];
      arguments.setLong(0, target);
      arguments.setInt(Long.BYTES, Touch.VALUE);
      extra.setLong(0, HIP_LAUNCH_PARAM_BUFFER_POINTER);
      extra.setPointer(8, arguments);
      extra.setLong(16, HIP_LAUNCH_PARAM_BUFFER_SIZE);
      extra.setPointer(24, extra.share(40));
      extra.setLong(32, HIP_LAUNCH_PARAM_END);
      extra.setLong(40, arguments.size());
      check(API.setup().moduleGetFunction(made, module, "touch"), "hipModuleGetFunction");
      kernel = made[0];
    }
    check(hip.memsetD32Async(target, 0, 1, stream), "hipMemsetD32Async");
    check(hip.streamSynchronize(stream), "hipStreamSynchronize");
  }

  private void expectTouched() {
    long host = Pointer.nativeValue(word);
    check(hip.memcpyDtoHAsync(host, target, word.size(), stream), "hipMemcpyDtoHAsync");
    check(hip.streamSynchronize(stream), "hipStreamSynchronize");
    if (word.getInt(0) != Touch.VALUE) {
      throw new IllegalStateException(
          "the device's memory has " + word.getInt(0) + " where " + Touch.VALUE + " should be");
    }
  }

  /** The kernel for this device, compiled by the driver's configured compiler or the runtime's. */
  private byte[] compile() throws Exception {
    new Touch(device, null).close(); // throws if the compiler does not know the device
    HiprtcApi api = compiler().map(HiprtcApi.class, HiprtcApi.PREFIX);
    PointerByReference program = new PointerByReference();
    compiled(api.createProgram(program, source(), "touch.cpp", 0, null, null));
    String[] options = {"--gpu-architecture=" + property("architecture")};
    compiled(api.compileProgram(program.getValue(), 1, new StringArray(options)));
    LongByReference size = new LongByReference();
    compiled(api.getCodeSize(program.getValue(), size));
    Memory code = new Memory(size.getValue());
    compiled(api.getCode(program.getValue(), code));
    compiled(api.destroyProgram(program));
    return code.getByteArray(0, (int) code.size());
  }

  /** In the runtime itself, or from ROCm 7 on beside it. */
  private SharedLibrary compiler() throws NotAvailableException {
    String runtime = property("library");
    List<String> candidates = new ArrayList<>(List.of(runtime));
    candidates.addAll(SharedLibrary.open(runtime).beside("libhiprtc.so", 7));
    try {
      return new WantedLibrary("HIPRTC", "ROCm", "jhal.hip.hiprtc", Status.UNIMPLEMENTED)
          .find(candidates, "hiprtcCompileProgram");
    } catch (HalException e) {
      throw new NotAvailableException(e.getMessage());
    }
  }

  private static void compiled(int result) {
    if (result != 0) {
      throw new IllegalStateException("HIPRTC returned " + result + " for touch.cpp");
    }
  }

  private static String source() {
    return new String(Touch.file("touch.cpp"), StandardCharsets.UTF_8);
  }

  /** Releases everything, and restores the device of the thread. */
  @Override
  public void close() throws IOException {
    loops.close();
    if (module != 0) {
      check(API.setup().moduleUnload(module), "hipModuleUnload");
      check(API.setup().free(target), "hipFree");
    }
    if (event != 0) {
      check(API.setup().eventDestroy(event), "hipEventDestroy");
    }
    if (stream != 0) {
      check(API.setup().streamDestroy(stream), "hipStreamDestroy");
    }
    if (deviceBefore >= 0) {
      check(hip.setDevice(deviceBefore), "hipSetDevice");
    }
  }
}
