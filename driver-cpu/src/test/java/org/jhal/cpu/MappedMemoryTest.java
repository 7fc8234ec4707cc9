// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.cpu.compile.NeedsCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that was mapped is given back to the system, and counts until then. */
@Timeout(120)
@NeedsCompiler
class MappedMemoryTest {
  private static final int MIB = 1 << 20;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** How much memory of this process is resident, in bytes. */
  private static long resident() throws Exception {
    String line =
        Files.readString(Path.of("/proc/self/status"))
            .lines()
            .filter(each -> each.startsWith("VmRSS:"))
            .findFirst()
            .orElseThrow();
    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
  }

  private static ByteBuffer filledAndMapped(Device device) throws Exception {
    try (DeviceBuffer buffer = device.allocate(32 * MIB, BufferParams.SHARED);
        Sequence sequence = device.createSequence()) {
      sequence.step(
          (waits, signals) ->
              device.queue(0).fill(waits, signals, buffer, 0, buffer.size(), FillPattern.of8(1)));
      sequence.await(LIMIT);
      try (DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE)) {
        assertEquals(1, mapping.bytes().get(32 * MIB - 1));
        return mapping.bytes();
      }
    }
  }

  private static String refusal(Device device) {
    HalException refused = assertThrows(HalException.class, () -> filledAndMapped(device));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status());
    return String.valueOf(refused.getMessage());
  }

  @Test
  void theLimitHoldsForMemoryThatWasMapped() throws Exception {
    try (Device device = Hal.openDevice("cpu://?memory=100m")) {
      filledAndMapped(device);
      long before = resident();
      for (int i = 0; i < 20; i++) {
        filledAndMapped(device);
      }
      long risen = resident() - before;
      assertTrue(risen < 200L * MIB, "resident memory has risen by " + risen + " bytes");
    }
  }

  @Test
  void memoryWithAReachableViewCountsAndTheViewStaysValid() throws Exception {
    try (Device device = Hal.openDevice("cpu://?memory=48m")) {
      ByteBuffer view = filledAndMapped(device);
      // The fill lets go of the memory a little after it is over.
      awaitTrue(
          "a refusal that names what was freed",
          () -> refusal(device).contains("another 33554432 are freed memory"));
      assertEquals(1, view.get(0));
      view = ByteBuffer.allocate(0);
      assertEquals(1, filledAndMapped(device).get(0));
      assertEquals(0, view.capacity());
    }
  }
}
