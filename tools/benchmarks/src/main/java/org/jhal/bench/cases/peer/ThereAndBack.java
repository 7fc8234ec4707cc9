// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.bench.cases.Transfers;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Quartiles;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that leave a device and come back: copied to another device, or read back into memory of
 * the host. The host waits each time.
 */
final class ThereAndBack implements Subject {
  private static final int WORD = Integer.BYTES;

  private final String name;
  private final Device device;
  private final @Nullable Device other;
  private final int bytes;
  private final int steps;
  private final DeviceBuffer buffer;
  private final @Nullable DeviceBuffer elsewhere;
  private final HostMemory host;

  /**
   * Allocates the memory.
   *
   * @param name how reports call it
   * @param other where the bytes go; null for memory of the host
   * @param bytes a multiple of 4
   * @param steps how many times they go there and back in a sample
   */
  ThereAndBack(String name, Device device, @Nullable Device other, int bytes, int steps) {
    this.name = name;
    this.device = device;
    this.other = other;
    this.bytes = bytes;
    this.steps = steps;
    buffer = device.allocate(bytes, BufferParams.DEVICE);
    elsewhere = other == null ? null : other.allocate(bytes, BufferParams.DEVICE);
    host =
        HostMemory.of(
            ByteBuffer.allocateDirect(other == null ? bytes : WORD).order(ByteOrder.nativeOrder()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public double[] sample() throws InterruptedException {
    DeviceQueue queue = device.queue(0);
    FillPattern value = FillPattern.of32(Touch.VALUE);
    long[] nanos = new long[steps];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      queue.fill(Fence.NONE, done.at(1), buffer, 0, bytes, value);
      done.await(1, Bench.DEADLINE);
      for (int i = 0; i < steps; i++) {
        long at = 2L * i + 2;
        long start = System.nanoTime();
        if (elsewhere == null) {
          queue.readback(Fence.NONE, done.at(at), buffer, 0, host);
          queue.upload(done.at(at), done.at(at + 1), host, buffer, 0);
        } else {
          queue.copy(Fence.NONE, done.at(at), buffer, 0, elsewhere, 0, bytes);
          queue.copy(done.at(at), done.at(at + 1), elsewhere, 0, buffer, 0, bytes);
        }
        done.await(at + 1, Bench.DEADLINE);
        nanos[i] = System.nanoTime() - start;
      }
    }
    Touch.expect(device, buffer, bytes - WORD, Touch.VALUE);
    if (other != null && elsewhere != null) {
      Touch.expect(other, elsewhere, bytes - WORD, Touch.VALUE);
    }
    return Transfers.withThroughput(Quartiles.of(nanos), 2L * bytes);
  }

  @Override
  public void close() {
    if (elsewhere != null) {
      elsewhere.close();
    }
    buffer.close();
  }
}
