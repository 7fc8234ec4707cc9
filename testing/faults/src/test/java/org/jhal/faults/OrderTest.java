// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.faults.Corpus.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sound programs compute what they should, in whatever order the mock runs them. */
class OrderTest {
  private static final int SEEDS = 5;

  static List<Order> all() {
    return Corpus.orders();
  }

  @ParameterizedTest
  @MethodSource("all")
  void theLineOfTheEntryIsThatOfTheFile(Order order) throws IOException {
    Path file = Path.of("src/main/java/org/jhal/faults/order").resolve(order.where().file());
    assertEquals(
        order.where().text(), Files.readAllLines(file).get(order.where().line() - 1).strip());
  }

  @ParameterizedTest
  @MethodSource("all")
  void theSoundTwinIsRightOnTheMock(Order order) throws InterruptedException {
    assertSound(order, "mock");
    for (int seed = 1; seed <= SEEDS; seed++) {
      assertSound(order, "mock://?seed=" + seed);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void theSoundTwinIsRightOnTheProcessor(Order order) throws InterruptedException {
    KernelsTest.assumeCompiler();
    assertSound(order, "cpu");
  }

  /** On two devices also the other way round: a fault may depend on which one is first. */
  @ParameterizedTest
  @MethodSource("all")
  void theSoundTwinIsRightOnDevicesOfTwoDrivers(Order order) throws InterruptedException {
    KernelsTest.assumeCompiler();
    assertSound(order, "cpu", "mock");
    assertSound(order, "mock", "cpu");
  }

  private static void assertSound(Order order, String... uris) throws InterruptedException {
    List<Device> devices = new ArrayList<>();
    try {
      for (int i = 0; i < order.devices(); i++) {
        devices.add(Hal.openDevice(uris[i % uris.length]));
      }
      OrderFault fault = order.create();
      assertArrayEquals(fault.expected(), fault.sound(devices), order + " on " + devices);
    } finally {
      devices.forEach(Device::close);
    }
    assertTrue(order.devices() >= 1, order.name());
  }
}
