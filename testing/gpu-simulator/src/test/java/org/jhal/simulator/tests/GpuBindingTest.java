// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.tests;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceUri;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.gpu.natives.BindingOption;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The option {@code binding}. */
@Timeout(60)
class GpuBindingTest {
  private static final int BYTES = 64;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();

  private final String own = sim.gpu().binding();

  private String uri(String binding) {
    return sim.driver().name() + "://0?binding=" + binding;
  }

  private static String binding(Device device) {
    return device.info().properties().getOrDefault("binding", "not reported");
  }

  private static boolean isOtherThere() {
    return BindingOption.auto() != null;
  }

  /** Fills a buffer on one device and reads it on the other, if they are two. */
  private static void assertWorkTogether(Device one, Device other) {
    try (DeviceBuffer buffer = one.allocate(BYTES, BufferParams.DEVICE);
        DeviceBuffer copy = other.allocate(BYTES, BufferParams.DEVICE);
        TimelineSemaphore done = one.createSemaphore(0)) {
      ByteBuffer host = ByteBuffer.allocateDirect(BYTES);
      one.queue(0).fill(Fence.NONE, done.at(1), buffer, 0, BYTES, FillPattern.of8(7));
      other.queue(0).copy(done.at(1), done.at(2), buffer, 0, copy, 0, BYTES);
      other.queue(0).readback(done.at(2), done.at(3), copy, 0, host);
      awaitReached(done, 3);
      for (int i = 0; i < BYTES; i++) {
        assertEquals(7, host.get(i), "byte " + i);
      }
    }
  }

  @Test
  void theDriversOwnBindingCanBeChosen() {
    try (Device device = sim.open(uri(own))) {
      assertEquals(own, binding(device));
      assertWorkTogether(device, device);
    }
  }

  @Test
  void autoSaysWhatItTakesAndWhy() {
    try (Device device = sim.open(uri("auto"))) {
      if (isOtherThere()) {
        assertEquals(BindingOption.FFM, binding(device));
      } else {
        assertTrue(
            binding(device).startsWith(own + " (not " + BindingOption.FFM + ": "),
            () -> binding(device));
      }
    }
    List<String> listed =
        sim.driver().devices(DeviceUri.parse(uri(own))).stream()
            .map(info -> info.properties().getOrDefault("binding", "not reported"))
            .distinct()
            .toList();
    assertEquals(List.of(own), listed);
  }

  @Test
  void theOtherBindingIsRefusedWithTheReasonWhereItIsMissing() {
    assumeFalse(isOtherThere(), "there is another binding");
    String uri = uri(BindingOption.FFM);
    assertHal(
        Status.UNAVAILABLE,
        () -> sim.driver().open(DeviceUri.parse(uri)),
        "binding=ffm cannot be used: ");
    assertHal(
        Status.UNAVAILABLE,
        () -> sim.driver().devices(DeviceUri.parse(uri)),
        "binding=ffm cannot be used: ");
  }

  @Test
  void anUnknownBindingIsRefusedWithTheKnownOnes() {
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> sim.driver().open(DeviceUri.parse(uri("fast"))),
        "one of auto, " + own + ", ffm");
  }

  /** Handles and addresses are the same numbers in both. */
  @Test
  void devicesOfDifferentBindingsShareEventsAndMemory() {
    assumeTrue(isOtherThere(), "there is no other binding");
    try (Device one = sim.open(uri(own));
        Device other = sim.open(uri(BindingOption.FFM))) {
      assertWorkTogether(one, other);
      assertWorkTogether(other, one);
    }
  }
}
