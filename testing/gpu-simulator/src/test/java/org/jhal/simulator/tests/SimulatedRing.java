// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.faults.FaultLog;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Devices whose ring for pageable memory (rule K7) is small: four slots of 16 KiB. */
@Timeout(60)
abstract class SimulatedRing {
  static final int SLOT = 16 << 10;
  static final int SLOTS = 4;

  /** More than is staged at the issue, and many times the size of the ring. */
  static final int LARGE = (1 << 20) + 123;

  /** How long a copy lingers so that others overtake it or need another slot. */
  static final Duration LINGER = Duration.ofMillis(5);

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  final String name = sim.driver().name();
  private FaultLog log;

  @BeforeEach
  void listen() {
    log = new FaultLog();
  }

  @AfterEach
  void stopListening() {
    log.close();
  }

  Device open(int threads, String more) {
    return sim.open(name + "://0?staging=64k&copy-threads=" + threads + more);
  }

  Device open(int threads) {
    return open(threads, "");
  }

  long registrations() {
    return sim.live().getOrDefault("registration", 0L);
  }

  static void upload(Device device, byte[] host, DeviceBuffer buffer) {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).upload(Fence.NONE, done.at(1), ByteBuffer.wrap(host), buffer, 0);
      awaitReached(done, 1);
    }
  }

  static byte[] read(Device device, DeviceBuffer buffer) {
    byte[] content = new byte[Math.toIntExact(buffer.size())];
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).readback(Fence.NONE, done.at(1), buffer, 0, ByteBuffer.wrap(content));
      awaitReached(done, 1);
    }
    return content;
  }

  static byte[] part(byte[] all, int offset, int length) {
    return Arrays.copyOfRange(all, offset, offset + length);
  }
}
