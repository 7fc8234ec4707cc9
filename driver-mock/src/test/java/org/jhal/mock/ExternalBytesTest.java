// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bytes of buffers that external work gets. */
@Timeout(60)
class ExternalBytesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Device device;
  private TimelineSemaphore done;

  @BeforeEach
  void open() {
    device = Hal.openDevice("mock");
    done = device.createSemaphore();
  }

  @AfterEach
  void close() {
    done.close();
    device.close();
  }

  /** The mock's memory is in pieces of 1 GiB; a range across two of them is lent as a copy. */
  @Test
  void allViewsOfARangeAcrossTwoPiecesShareOneCopy() throws Exception {
    long piece = 1L << 30;
    try (DeviceBuffer buffer = device.allocate(piece + 64, BufferParams.DEVICE);
        DeviceBuffer part = buffer.slice(piece - 32, 64)) {
      AtomicInteger seen = new AtomicInteger();
      byte[] read = new byte[64];
      device.queue(0).fill(Fence.NONE, done.at(1), part, 0, 64, FillPattern.of8(1));
      device
          .queue(0)
          .external(
              done.at(1),
              done.at(2),
              List.of(part),
              context -> {
                context.bytes(part).put((byte) 5);
                seen.set(context.bytes(part).get());
                context.bytes(part).put(40, (byte) 6);
              });
      device.queue(0).readback(done.at(2), done.at(3), part, 0, HostMemory.of(read));
      done.await(3, PATIENCE);
      byte[] expected = new byte[64];
      Arrays.fill(expected, (byte) 1);
      expected[0] = 5;
      expected[40] = 6;
      assertEquals(5, seen.get(), "the byte that was written through another view");
      assertArrayEquals(expected, read);
    }
  }

  @Test
  void externalWorkGetsTheBytesOfManyBuffers() throws Exception {
    int count = 5000;
    byte[] expected = new byte[count];
    byte[] read = new byte[count];
    List<DeviceBuffer> parts = new ArrayList<>();
    try (DeviceBuffer buffer = device.allocate(count, BufferParams.DEVICE)) {
      for (int i = 0; i < count; i++) {
        parts.add(buffer.slice(i, 1));
        expected[i] = (byte) i;
      }
      device
          .queue(0)
          .external(
              Fence.NONE,
              done.at(1),
              parts,
              context -> {
                for (int i = 0; i < count; i++) {
                  context.bytes(parts.get(i)).put((byte) i);
                }
              });
      device.queue(0).readback(done.at(1), done.at(2), buffer, 0, HostMemory.of(read));
      done.await(2, PATIENCE);
    }
    parts.forEach(DeviceBuffer::close);
    assertArrayEquals(expected, read);
  }
}
