// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.Hal;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.support.Waits;
import org.jhal.simulator.SimulatedCollectives;
import org.jhal.simulator.Simulator;

/** A process that ends while a group is aborted; see {@link GpuGroupExitTest}. */
public final class ExitProbe {
  private static final Duration SLOW = Duration.ofSeconds(2);

  private ExitProbe() {}

  /** Its arguments are a driver with two devices, its library, and what it closes at the end. */
  public static void main(String[] args) {
    Device here = Hal.openDevice(args[0] + "://0?close-timeout=100ms");
    Device there = Hal.openDevice(args[0] + "://1?close-timeout=100ms");
    SimulatedCollectives collectives = SimulatedCollectives.of(Simulator.in(Path.of(args[1])));
    SummingGroup group = new SummingGroup(here, there);
    collectives.stall(1);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    Waits.awaitTrue("a launch", () -> collectives.launches() == 1);
    collectives.hang("ncclGroupEnd", SLOW); // that of the abort
    switch (args[2]) {
      case "group" -> group.group.close();
      case "device" -> here.close();
      default -> {} // the exit closes the devices
    }
    System.out.println("the end of main, with " + ends.size() + " signals");
  }
}
