// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.cts.faults.FaultLog;
import org.jhal.simulator.fixture.GpuFault;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.simulator.fixture.SimulatedGpu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Native calls that fail while a group is created: whichever call fails, nothing of the group is
 * left.
 */
@Timeout(60)
class GpuGroupMakingTest {
  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final SimulatedGpu gpu = sim.gpu();

  @Test
  void aFailedCallDuringCreationLeavesNothing() {
    Map<String, Long> calls = make("", 0);
    assertTrue(calls.size() > 2, () -> "too few calls: " + calls);
    calls.forEach(
        (call, count) -> {
          for (int nth = 1; nth <= count; nth++) {
            make(call, nth);
          }
        });
  }

  /**
   * Creates and closes a group, and its devices, while the nth use of a call fails.
   *
   * @return how often each call was used to create the group
   */
  private Map<String, Long> make(String call, int nth) {
    String failing = nth == 0 ? "no failure" : call + ", use " + nth;
    gpu.reset();
    sim.simulator().devices(2);
    try (FaultLog log = new FaultLog();
        Device here = open(0);
        Device there = open(1)) {
      Map<String, Long> before = sim.simulator().calls();
      if (nth > 0) {
        sim.simulator().fail(call, nth, GpuFault.PLAIN_CODE);
      }
      Map<String, Long> calls = new TreeMap<>();
      try (CollectiveGroup group = CollectiveGroup.of(here, there)) {
        sim.simulator()
            .calls()
            .forEach((name, count) -> calls.put(name, count - before.getOrDefault(name, 0L)));
        assertEquals(2, group.devices().size());
        sim.simulator().failNoMore(call); // other threads make this call now and then
      } catch (HalException e) {
        assertFalse(nth == 0, e::toString);
      }
      here.close();
      there.close();
      assertEquals(Map.of(), sim.live(), () -> "live, with " + failing);
      assertEquals(Map.of(), sim.simulator().abandoned(), () -> "left, with " + failing);
      log.assertNoErrors();
      calls.values().removeIf(count -> count == 0);
      return calls;
    }
  }

  private Device open(int index) {
    return sim.open(sim.driver().name() + "://" + index + "?queues=1");
  }
}
