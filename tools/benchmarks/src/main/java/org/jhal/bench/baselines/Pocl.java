// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jhal.Workgroups;
import org.jhal.bench.kernel.JavaLoops;
import org.jhal.bench.kernel.Workload;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of {@code compute/kernels.cl} on pocl, the portable implementation of OpenCL for
 * processors, if it is installed. Runs of a sample are put into one in-order queue.
 *
 * <p>For one thread.
 */
public final class Pocl implements AutoCloseable {
  /** The name of the baseline. */
  public static final String NAME = "pocl";

  private static final String LIBRARY = "libOpenCL.so.1";
  private static final String PLATFORM = "Portable Computing Language";

  // CL/cl.h
  private static final int PLATFORM_NAME = 0x0902;
  private static final int PROGRAM_BUILD_LOG = 0x1183;
  private static final int COMPILE_WORK_GROUP_SIZE = 0x11B1;
  private static final long DEVICE_TYPE_ALL = 0xFFFFFFFFL;
  private static final long MEM_READ_WRITE_USE_HOST_PTR = 1 | 1 << 3;

  private final List<Runnable> releases = new ArrayList<>(); // the last is the first to run
  private @Nullable NativeLibrary library;
  private @Nullable Pointer device;
  private @Nullable Pointer context;
  private @Nullable Pointer queue;
  private @Nullable Pointer program;

  /** Runs of {@code workload}; a sample is the nanoseconds of one of {@code count} in a row. */
  public Subject subject(Workload workload, int count) {
    return new Subject() {
      private @Nullable Pointer kernel;
      private List<Object> arguments = List.of(); // keeps the buffers, which the kernel uses

      @Override
      public String name() {
        return NAME;
      }

      @Override
      public void prepare() throws Exception {
        open();
        arguments = workload.arguments();
        kernel = kernel(workload.kernel(), arguments);
        run(workload, kernel, 1);
        workload.check(JavaLoops.result(workload), (ByteBuffer) arguments.get(workload.result()));
      }

      @Override
      public double[] sample() {
        return new double[] {run(workload, Objects.requireNonNull(kernel), count) / count};
      }
    };
  }

  /** How many nanoseconds it took. */
  private double run(Workload workload, Pointer kernel, int count) {
    Workgroups groups = workload.groups();
    Memory local = new Memory(3 * 8);
    call(
        "clGetKernelWorkGroupInfo",
        kernel,
        device,
        COMPILE_WORK_GROUP_SIZE,
        local.size(),
        local,
        null);
    Memory global = new Memory(3 * 8);
    global.setLong(0, groups.x() * local.getLong(0));
    global.setLong(8, groups.y() * local.getLong(8));
    global.setLong(16, groups.z() * local.getLong(16));
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      call("clEnqueueNDRangeKernel", queue, kernel, 3, null, global, local, 0, null, null);
    }
    call("clFinish", queue);
    return System.nanoTime() - start;
  }

  /** A kernel with its arguments; what is in the direct buffers is used where it is. */
  private Pointer kernel(String name, List<Object> arguments) {
    Pointer kernel = make("clCreateKernel", "clReleaseKernel", program, name);
    for (int i = 0; i < arguments.size(); i++) {
      Object argument = arguments.get(i);
      Memory value = new Memory(8);
      int size = 4;
      if (argument instanceof ByteBuffer buffer) {
        Pointer data = Native.getDirectBufferPointer(buffer);
        long bytes = buffer.capacity();
        value.setPointer(
            0,
            make(
                "clCreateBuffer",
                "clReleaseMemObject",
                context,
                MEM_READ_WRITE_USE_HOST_PTR,
                bytes,
                data));
        size = 8;
      } else if (argument instanceof Float number) {
        value.setFloat(0, number);
      } else {
        value.setInt(0, ((Number) argument).intValue());
      }
      call("clSetKernelArg", kernel, i, (long) size, value);
    }
    return kernel;
  }

  private void open() throws Exception {
    if (program != null) {
      return;
    }
    Pointer platform = platform();
    device = first("clGetDeviceIDs", platform, DEVICE_TYPE_ALL);
    Memory devices = new Memory(8);
    devices.setPointer(0, device);
    context = make("clCreateContext", "clReleaseContext", null, 1, devices, null, null);
    queue = make("clCreateCommandQueue", "clReleaseCommandQueue", context, device, 0L);
    Memory text = text("kernels.cl");
    Memory texts = new Memory(8);
    texts.setPointer(0, text);
    Pointer made =
        make("clCreateProgramWithSource", "clReleaseProgram", context, 1, texts, (Pointer) null);
    int code =
        function("clBuildProgram").invokeInt(new Object[] {made, 1, devices, "", null, null});
    if (code != 0) {
      Memory log = new Memory(1 << 16);
      log.clear();
      call("clGetProgramBuildInfo", made, device, PROGRAM_BUILD_LOG, log.size(), log, null);
      throw new IOException("pocl cannot compile kernels.cl: " + code + "\n" + log.getString(0));
    }
    program = made;
  }

  private static Memory text(String resource) throws IOException {
    try (InputStream in = Pocl.class.getResourceAsStream("compute/" + resource)) {
      byte[] bytes = Objects.requireNonNull(in, resource).readAllBytes();
      Memory made = new Memory(bytes.length + 1L);
      made.setString(0, new String(bytes, StandardCharsets.UTF_8), "UTF-8");
      return made;
    }
  }

  private Pointer platform() throws NotAvailableException {
    // Read when the library starts its threads: the other sides have one thread too.
    Function.getFunction("c", "setenv").invokeInt(new Object[] {"POCL_MAX_PTHREAD_COUNT", "1", 1});
    try {
      library = NativeLibrary.getInstance(LIBRARY);
    } catch (UnsatisfiedLinkError e) {
      throw new NotAvailableException("there is no " + LIBRARY);
    }
    IntByReference count = new IntByReference();
    function("clGetPlatformIDs").invokeInt(new Object[] {0, null, count});
    if (count.getValue() > 0) {
      Memory platforms = new Memory(8L * count.getValue());
      call("clGetPlatformIDs", count.getValue(), platforms, null);
      for (int i = 0; i < count.getValue(); i++) {
        Pointer platform = platforms.getPointer(8L * i);
        Memory name = new Memory(256);
        call("clGetPlatformInfo", platform, PLATFORM_NAME, name.size(), name, null);
        if (name.getString(0).equals(PLATFORM)) {
          return platform;
        }
      }
    }
    throw new NotAvailableException("OpenCL has no platform of that name: " + PLATFORM);
  }

  private Pointer first(String function, Pointer platform, long type) {
    PointerByReference found = new PointerByReference();
    call(function, platform, type, 1, found, null);
    return found.getValue();
  }

  /** Calls a function whose last parameter is where it puts its result. */
  private Pointer make(String function, String release, @Nullable Object... arguments) {
    IntByReference code = new IntByReference();
    List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
    all.add(code);
    Pointer made = function(function).invokePointer(all.toArray());
    check(function, code.getValue());
    releases.add(() -> call(release, made));
    return made;
  }

  private void call(String function, @Nullable Object... arguments) {
    check(function, function(function).invokeInt(arguments));
  }

  private static void check(String function, int code) {
    if (code != 0) {
      throw new IllegalStateException(function + " returned " + code);
    }
  }

  private Function function(String name) {
    return Objects.requireNonNull(library).getFunction(name);
  }

  /** Releases all that was made. The library stays loaded. */
  @Override
  public void close() {
    for (int i = releases.size() - 1; i >= 0; i--) {
      releases.get(i).run();
    }
    releases.clear();
    program = null;
  }
}
