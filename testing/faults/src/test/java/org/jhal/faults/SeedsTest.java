// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.faults.Corpus.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A fault of order changes the result on the mock with one of its seeds. */
class SeedsTest {
  /** What no seed shows, and why. */
  private static final Map<String, String> MISSED =
      Map.of("NoBarrier", "the mock runs the commands of a recording in their order");

  /**
   * Some faults show with 4 seeds of 100: enough for that not to be missed in ten thousand runs.
   */
  private static final int SEEDS = 300;

  static List<Order> all() {
    return Corpus.orders();
  }

  @Test
  void whatIsMissedIsInTheList() {
    List<String> names = all().stream().map(Order::name).toList();
    assertTrue(names.containsAll(MISSED.keySet()), MISSED::toString);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("all")
  void aSeedShowsTheFault(Order order) throws InterruptedException {
    boolean isShown = false;
    for (int seed = 1; seed <= SEEDS && !isShown; seed++) {
      isShown = isWrong(order, seed);
    }
    assertEquals(!MISSED.containsKey(order.name()), isShown);
  }

  private static boolean isWrong(Order order, int seed) throws InterruptedException {
    List<Device> devices = new ArrayList<>();
    try {
      for (int i = 0; i < order.devices(); i++) {
        devices.add(Hal.openDevice("mock://?seed=" + seed));
      }
      OrderFault fault = order.create();
      return !Arrays.equals(fault.expected(), fault.faulty(devices));
    } catch (HalException e) {
      return true; // such as for memory that was freed too early
    } finally {
      devices.forEach(Device::close);
    }
  }
}
