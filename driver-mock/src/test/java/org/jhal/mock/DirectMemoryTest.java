// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.Test;

/** A device that has more memory than the JVM: what the JVM refuses does not count as used. */
class DirectMemoryTest {
  private static final long MIB = 1 << 20;

  @Test
  void whatTheJvmRefusesCountsAsFree() throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:MaxDirectMemorySize=16m",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Program.class.getName()))
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(
        process.waitFor(60, TimeUnit.SECONDS),
        "the process that allocates too much has not ended within 60 s");
    assertEquals(0, process.exitValue(), output);
  }

  /** Runs in a JVM that has less memory than the device. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      try (Device device = Hal.openDevice("mock://?memory=64m")) {
        for (int i = 0; i < 4; i++) { // more than the device would have room for
          refused(() -> device.allocate(32 * MIB, BufferParams.DEVICE).close());
          refused(
              () -> {
                try (TimelineSemaphore done = device.createSemaphore()) {
                  device
                      .queue(0)
                      .alloca(Fence.NONE, done.at(1), 32 * MIB, BufferParams.DEVICE)
                      .close();
                  done.await(1);
                }
              });
        }
        try (DeviceBuffer small = device.allocate(MIB, BufferParams.DEVICE)) {
          if (device.statistics().bytes() != small.size()) {
            throw new AssertionError(device.statistics());
          }
        }
      }
    }

    private interface Allocation {
      void run() throws Exception;
    }

    private static void refused(Allocation allocation) throws Exception {
      try {
        allocation.run();
      } catch (HalException e) {
        if (e.status() == Status.RESOURCE_EXHAUSTED && e.getMessage().contains("the JVM has no")) {
          return;
        }
        throw e;
      }
      throw new AssertionError("the JVM has not refused 32 MiB of direct memory");
    }
  }
}
