// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.process;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Fence;
import org.jhal.Registration;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.EngineConfig;
import org.jhal.engine.EngineDevice;
import org.jspecify.annotations.Nullable;

/** A program that exits with code 7 while a device is open, in the way that its argument names. */
public final class ExitsWithDevices {
  private static volatile boolean isHeld; // then events do not fire
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private ExitsWithDevices() {}

  /** Exits in the way that {@code args[0]} names. */
  public static void main(String[] args) throws InterruptedException {
    Device device = open();
    TimelineSemaphore timeline = device.createSemaphore(0);
    switch (args[0]) {
      case "idle" -> {
        device.queue(0).barrier(Fence.NONE, timeline.at(1));
        timeline.await(1);
      }
      case "working" -> {
        TimelineSemaphore gate = device.createSemaphore(0);
        TimelineSemaphore parked = device.createSemaphore(0);
        device.queue(0).barrier(gate.at(1), parked.at(1));
        isHeld = true;
        device.queue(0).barrier(Fence.NONE, timeline.at(1));
        Registration first =
            parked.onReach(
                1,
                failed -> {
                  print("parked: " + (failed == null ? "reached" : failed.status()));
                  isHeld = false; // work in flight ends while the JVM exits
                });
        Registration second =
            timeline.onReach(
                1, failed -> print("in flight: " + (failed == null ? 1 : failed.status())));
        print("registered " + first + " and " + second);
      }
      case "hanging" -> {
        isHeld = true;
        device.queue(0).barrier(Fence.NONE, timeline.at(1));
        timeline.onReach(
            1, failed -> print("hanging: " + (failed == null ? "reached" : failed.status())));
      }
      case "callback" -> {
        timeline.onReach(1, failed -> System.exit(7));
        device.queue(0).barrier(Fence.NONE, timeline.at(1));
        NEVER.await();
      }
      case "reopening" -> {
        Thread reopening = new Thread(() -> reopen(device), "reopening");
        reopening.setDaemon(true);
        reopening.start();
      }
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(7);
  }

  private static Device open() {
    return new EngineDevice<>(
        backend(),
        new EngineConfig(
            1, 8, 0, 0, Duration.ofSeconds(10), Duration.ofSeconds(5), 1, 1, true, true, false),
        List.of());
  }

  /** A service that opens another device whenever it finds the last one closed. */
  private static void reopen(Device first) {
    for (Device last = first; ; last = open()) {
      while (!last.isClosed()) {
        Thread.onSpinWait();
      }
    }
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** A device of one stream, which prints when something of it is closed. */
  @SuppressWarnings("unchecked")
  private static DeviceBackend<Object> backend() {
    return (DeviceBackend<Object>) proxy(DeviceBackend.class, "close");
  }

  private static Object proxy(Class<?> type, String closeName) {
    InvocationHandler handler =
        (self, method, arguments) -> call(self, method, arguments, closeName);
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private static @Nullable Object call(
      Object self, Method method, Object[] arguments, String closeName) throws Throwable {
    return switch (method.getName()) {
      case "info" ->
          DeviceInfo.builder("fake", 0)
              .name("Fake")
              .uuid("0")
              .memoryBytes(1)
              .maxWorkgroupCount(new Workgroups(1, 1, 1))
              .maxWorkgroupItems(1)
              .build();
      case "executableFormats" -> Set.of();
      case "createStream" -> proxy(NativeStream.class, "close of a stream");
      case "createEvent" -> new Object();
      case "queryEvent", "isIdle" -> !isHeld;
      case "synchronizeEvent" -> {
        while (isHeld) { // as a native call does, whatever becomes of the thread
          Thread.onSpinWait();
        }
        yield null;
      }
      case "close" -> {
        print("native: " + closeName);
        yield null;
      }
      case "submit", "destroyEvent" -> null;
      default -> InvocationHandler.invokeDefault(self, method, arguments);
    };
  }
}
