// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalMXBean;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jspecify.annotations.Nullable;

/** A separate JVM with a device, or without one, that a test watches. */
public final class WatchedJvm implements AutoCloseable {
  private static final int OPERATIONS = 50;

  private static final long SECONDS = 60;

  private final Process process;
  private final BufferedReader answers;

  private WatchedJvm(String mode) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            WatchedJvm.class.getName(),
            mode);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    process = builder.start();
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    expect("ready");
  }

  /** Starts one with a device that holds 64 bytes, and an operation that waits for the host. */
  public static WatchedJvm withDevice() throws Exception {
    return new WatchedJvm("device");
  }

  public static WatchedJvm withoutDevice() throws Exception {
    return new WatchedJvm("idle");
  }

  public String pid() {
    return String.valueOf(process.pid());
  }

  /** Has it run some operations, and waits until they have retired. */
  public void work() throws Exception {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
    expect("done");
  }

  private void expect(String answer) throws Exception {
    String line =
        CompletableFuture.supplyAsync(() -> readUpTo(answer)).get(SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("process " + pid() + " has ended without '" + answer + "'");
    }
  }

  /**
   * Reads up to the line of an answer. A JVM to which two tools attach at the same time, such as
   * the {@code hal top} of a test in another process, also prints its threads.
   */
  private @Nullable String readUpTo(String answer) {
    try {
      String line = answers.readLine();
      while (line != null && !line.endsWith(answer)) {
        line = answers.readLine();
      }
      return line;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends it, and waits until it has ended. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("waited " + SECONDS + " s for process " + pid() + " to end");
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }

  /** The separate JVM. It ends when its input ends. */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("idle")) {
      System.out.println("ready");
      int unused = System.in.read();
      return;
    }
    try (Device device = Hal.openDevice("mock://?memory=1m");
        TimelineSemaphore data = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      device.queue(0).upload(Fence.NONE, done.at(1), HostMemory.of(new byte[16]), buffer, 0);
      done.await(1, Duration.ofSeconds(SECONDS));
      device.queue(1).fill(data.at(2), Fence.NONE, buffer, 0, 64, FillPattern.ZERO);
      // A signal comes before its operation retires, and only what has retired is left out of
      // samples.
      awaitTrue("the upload to retire", () -> device.queue(0).openOperations() == 0);
      // JHAL registers its bean in a thread of its own, behind the opening of the device.
      awaitTrue("the bean of JHAL", () -> System.getProperty(HalMXBean.PROPERTY) != null);
      System.out.println("ready");
      while (System.in.read() >= 0) {
        for (int i = 0; i < OPERATIONS; i++) {
          long value = done.value();
          device.queue(0).barrier(Fence.NONE, done.at(value + 1));
          done.await(value + 1, Duration.ofSeconds(SECONDS));
        }
        awaitTrue("the barriers to retire", () -> device.queue(0).openOperations() == 0);
        System.out.println("done");
      }
      Runtime.getRuntime().halt(0);
    }
  }

  private static void awaitTrue(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited " + SECONDS + " s for " + what);
      }
      Thread.yield();
    }
  }
}
