// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jhal.AcquiredQueue;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
import org.jhal.Sequence;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.support.BackOff;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of the operations that become ready at once begins first (rule Q12). */
@Timeout(120)
class PriorityTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int READERS = 20;
  private static final int ROUNDS = 30;

  /** Where the writer goes first, the readers see what it has written. */
  @ParameterizedTest
  @CsvSource({"LOW, NORMAL, 0", "LOW, HIGH, 0", "NORMAL, HIGH, 0", "LOW, HIGH, 7"})
  void theHigherPriorityGoesFirst(Priority lower, Priority higher, int seed) throws Exception {
    try (Device device = Hal.openDevice("mock://0?queues=1&seed=" + seed);
        AcquiredQueue low = device.acquireQueue(QueueRequest.DEFAULT.withPriority(lower));
        AcquiredQueue high = device.acquireQueue(QueueRequest.DEFAULT.withPriority(higher))) {
      byte[] written = new byte[READERS];
      Arrays.fill(written, (byte) 1);
      for (int round = 0; round < ROUNDS; round++) {
        assertArrayEquals(new byte[READERS], seen(device, low, high), "round " + round);
        assertArrayEquals(
            written, seen(device, high, low), "round " + round + ", the writer first");
      }
    }
  }

  /** What reads on a queue see of a write on another one, all of which become ready at once. */
  private static byte[] seen(Device device, DeviceQueue writer, DeviceQueue reader)
      throws Exception {
    MockControls controls = MockControls.of(device);
    byte[] bytes = new byte[READERS];
    try (TimelineSemaphore go = device.createSemaphore();
        TimelineSemaphore written = device.createSemaphore();
        TimelineSemaphore read = device.createSemaphore();
        DeviceBuffer flag = device.allocate(4, BufferParams.DEVICE);
        DeviceBuffer copies = device.allocate(READERS, BufferParams.DEVICE)) {
      try (Sequence sequence = device.createSequence()) {
        sequence.on(device.queue(0)).fill(flag, FillPattern.ZERO);
        sequence.await(LIMIT);
      }
      controls.pause(device.queue(0));
      long issued = device.statistics().issued();
      device.queue(0).barrier(Fence.NONE, go.at(1));
      writer.fill(go.at(1), written.at(1), flag, 0, 4, FillPattern.of8(1));
      for (int i = 0; i < READERS; i++) {
        reader.copy(go.at(1), read.at(i + 1), flag, 0, copies, i, 1);
      }
      assertTrue(
          BackOff.await(
              device,
              System.nanoTime() + LIMIT.toNanos(),
              () -> device.statistics().issued() == issued + READERS + 2),
          "issued: " + device.statistics().issued());
      controls.resume(device.queue(0));
      Fence.of(List.of(written.at(1), read.at(READERS))).awaitAll(LIMIT);
      device.queue(0).readback(Fence.NONE, read.at(READERS + 1), copies, 0, ByteBuffer.wrap(bytes));
      read.await(READERS + 1, LIMIT);
    }
    return bytes;
  }
}
