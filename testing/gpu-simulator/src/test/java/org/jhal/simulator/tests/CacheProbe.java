// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/** A process that loads bundles and runs their kernel {@code store}; see {@link GpuCacheTest}. */
public final class CacheProbe {
  private CacheProbe() {}

  /** Its arguments are a device, the file of a compiler, and the folders of bundles. */
  public static void main(String[] args) throws Exception {
    try (Device device = Hal.openDevice(args[0])) {
      for (String bundle : List.of(args).subList(2, args.length)) {
        long begin = System.nanoTime();
        try (Executable kernels = device.loadExecutable(ExecutableSource.of(Path.of(bundle)))) {
          System.out.println("loaded in " + (System.nanoTime() - begin) / 1000 + " us");
          System.out.println("stored: " + run(device, kernels));
        }
      }
      System.out.println("compiler: " + (isMapped(args[1]) ? "loaded" : "not loaded"));
    }
  }

  /** The value that {@code store} stores for 5. */
  static int run(Device device, Executable kernels) throws InterruptedException {
    byte[] bytes = new byte[4];
    try (DeviceBuffer out = device.allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      device
          .queue(0)
          .dispatch(
              Fence.NONE, done.at(1), kernels.kernel("store"), Workgroups.of(1), Args.of(out, 5));
      device.queue(0).readback(done.at(1), done.at(2), out, 0, ByteBuffer.wrap(bytes));
      done.await(2, Duration.ofSeconds(30));
    }
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt();
  }

  private static boolean isMapped(String file) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
        .anyMatch(line -> line.endsWith(file));
  }
}
