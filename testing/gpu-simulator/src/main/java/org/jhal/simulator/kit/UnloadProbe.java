// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import static org.jhal.ElementType.F32;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jhal.Args;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.QueueSteps;
import org.jhal.Registration;
import org.jhal.Sequence;
import org.jhal.TimelineSemaphore;

/**
 * A process in which JHAL and its drivers are shared, as in an application server. An application
 * with a class loader of its own uses a device, closes what it has opened, and is removed.
 */
public final class UnloadProbe {
  /** Less than the minute for which the JDK keeps a thread that waits for processes. */
  private static final Duration DEADLINE = Duration.ofSeconds(40);

  private UnloadProbe() {}

  /** Prints {@code unloaded}, or which threads keep the application's class loader. */
  public static void main(String[] args) throws Exception {
    ReferenceQueue<ClassLoader> removed = new ReferenceQueue<>();
    WeakReference<ClassLoader> application = run(args[0], removed);
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (application.get() != null && System.nanoTime() - end < 0) {
      System.gc();
      var unused = removed.remove(50);
    }
    ClassLoader left = application.get();
    if (left == null) {
      System.out.println("unloaded");
      return;
    }
    List<String> threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getContextClassLoader() == left)
            .map(Thread::getName)
            .toList();
    System.out.println(
        "the application's class loader is reachable after "
            + DEADLINE
            + "; it is the context class loader of "
            + threads);
  }

  /** On this thread, which outlives the application as those of a server do. */
  private static WeakReference<ClassLoader> run(String uri, ReferenceQueue<ClassLoader> removed)
      throws Exception {
    ClassLoader loader = new ApplicationLoader();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      Class<?> type = loader.loadClass(Application.class.getName());
      if (type == Application.class) {
        throw new IllegalStateException("the application has no class loader of its own");
      }
      var unused = type.getMethod("run", String.class).invoke(null, uri);
    } finally {
      thread.setContextClassLoader(before);
    }
    return new WeakReference<>(loader, removed);
  }

  /** Has the classes of the application; all others are those of the server. */
  private static final class ApplicationLoader extends ClassLoader {
    ApplicationLoader() {
      super("application", UnloadProbe.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(Application.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = known == null ? getResourceAsStream(file) : null) {
        if (in == null) {
          return known == null ? super.loadClass(name, resolve) : known;
        }
        byte[] code = in.readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** Uses a kernel, callbacks and transfers. */
  public static final class Application {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Application() {}

    /** Closes all that it opens. */
    public static void run(String uri) throws Exception {
      ExecutableSource source =
          ExecutableSource.builder("scale")
              .kernel("scale", 64, Parameter.constant("f", F32), Parameter.inout("x", F32))
              .cpp(
                  "extern \"C\" __global__ void scale(float f, float* x) {"
                      + " x[blockIdx.x * blockDim.x + threadIdx.x] *= f; }")
              .java("scale", group -> group.memory(1).floats().set(0, 6))
              .build();
      float[] x = new float[64];
      Arrays.fill(x, 2);
      try (Device device = Hal.openDevice(uri);
          Executable loaded = device.loadExecutable(source);
          Sequence steps = device.createSequence();
          TimelineSemaphore timeline = device.createSemaphore(0)) {
        Registration unused = timeline.onReach(2, failure -> {});
        timeline.signal(1);
        QueueSteps queue = steps.on(device.queue(0));
        DeviceBuffer buffer = queue.uploading(HostMemory.of(x));
        queue.dispatch(
            loaded.kernel("scale"), loaded.kernel("scale").covering(64), Args.of(3f, buffer));
        queue.readback(buffer, HostMemory.of(x));
        steps.await(LIMIT);
      }
      if (x[0] != 6) {
        throw new AssertionError("the kernel computed " + x[0]);
      }
    }
  }
}
