// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.faults.Corpus.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code validate=hazards} finds the missing waits, and says nothing of the twins. */
class MissingWaitsTest {
  /** What is not found, and why. */
  private static final Map<String, String> MISSED =
      Map.of("Aliasing", "the fault lies within one dispatch: hal check looks there");

  static List<Order> all() {
    return Corpus.orders();
  }

  @Test
  void whatIsMissedIsInTheList() {
    List<String> names = all().stream().map(Order::name).toList();
    assertTrue(names.containsAll(MISSED.keySet()), MISSED::toString);
  }

  @ParameterizedTest
  @MethodSource("all")
  void theMissingWaitIsFound(Order order) throws InterruptedException {
    assertEquals(!MISSED.containsKey(order.name()), finds(order, Twin.FAULTY, "mock"));
    KernelsTest.assumeCompiler();
    assertEquals(!MISSED.containsKey(order.name()), finds(order, Twin.FAULTY, "cpu"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nothingIsSaidOfTheSoundTwin(Order order) throws InterruptedException {
    assertEquals(false, finds(order, Twin.SOUND, "mock"));
    KernelsTest.assumeCompiler();
    assertEquals(false, finds(order, Twin.SOUND, "cpu"));
    assertEquals(false, finds(order, Twin.SOUND, "cpu", "mock"));
  }

  /** Whether an operation fails because of a hazard. */
  private static boolean finds(Order order, Twin twin, String... drivers)
      throws InterruptedException {
    List<Device> devices = new ArrayList<>();
    try {
      for (int i = 0; i < order.devices(); i++) {
        devices.add(Hal.openDevice(drivers[i % drivers.length] + "://?validate=hazards,fail"));
      }
      OrderFault fault = order.create();
      float[] result = fault.run(devices, twin);
      if (twin == Twin.SOUND) {
        assertArrayEquals(fault.expected(), result, order + " on " + devices);
      }
      return false;
    } catch (HalException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (String.valueOf(cause.getMessage()).contains("hazard: ")) {
          return true;
        }
      }
      throw e;
    } finally {
      devices.forEach(Device::close);
    }
  }
}
