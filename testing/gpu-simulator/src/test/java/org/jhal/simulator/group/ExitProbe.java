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

/**
 * A process that ends while its group cannot go on, or is made or freed; see {@link
 * GpuGroupExitTest}.
 */
public final class ExitProbe {
  private static final Duration SLOW = Duration.ofSeconds(2);

  /** Longer than an exit waits for the close of a device. */
  private static final Duration SLOWER = Duration.ofSeconds(5);

  private ExitProbe() {}

  /**
   * Its arguments are a driver with two devices, its library, and what it closes at the end; or
   * {@code gate} for a collective that waits for its turn when the process ends, {@code making} for
   * a group that is being made, {@code freeing} for one whose communicators the exit frees.
   */
  public static void main(String[] args) {
    boolean isHeld = args[2].equals("gate");
    String options = "?close-timeout=" + (isHeld ? "600s" : "100ms");
    Device here = Hal.openDevice(args[0] + "://0" + options);
    Device there = Hal.openDevice(args[0] + "://1" + options);
    SimulatedCollectives collectives = SimulatedCollectives.of(Simulator.in(Path.of(args[1])));
    if (args[2].equals("making")) {
      startMaking(collectives, here, there);
      System.out.println("the end of main");
      return;
    }
    SummingGroup group = new SummingGroup(here, there);
    if (args[2].equals("freeing")) {
      group.check();
      group.close();
      collectives.hang("ncclCommDestroy", SLOWER);
      System.out.println("the end of main");
      return;
    }
    List<TimelineSemaphore> ends = isHeld ? startHeld(group) : startStalled(group, collectives);
    switch (args[2]) {
      case "group" -> group.group.close();
      case "device" -> here.close();
      default -> {} // the exit closes the devices
    }
    System.out.println("the end of main, with " + ends.size() + " signals");
  }

  /** Starts a collective of which a rank stalls, and whose abort is slow. */
  private static List<TimelineSemaphore> startStalled(
      SummingGroup group, SimulatedCollectives collectives) {
    collectives.stall(1);
    List<TimelineSemaphore> ends = group.start(Fence.NONE);
    Waits.awaitTrue("a launch", () -> collectives.launches() == 1);
    collectives.hang("ncclGroupEnd", SLOW); // that of the abort
    return ends;
  }

  /** Begins to make a group, of which a call is slow. */
  private static void startMaking(SimulatedCollectives collectives, Device... devices) {
    collectives.hang("ncclCommInitRankConfig", SLOWER);
    Thread maker = new Thread(() -> new SummingGroup(devices), "maker");
    maker.setDaemon(true);
    maker.start();
    Waits.awaitTrue(
        "the call", () -> collectives.calls().getOrDefault("ncclCommInitRankConfig", 0L) > 0);
  }

  /** Starts a collective that waits for its turn beside external work that never ends. */
  private static List<TimelineSemaphore> startHeld(SummingGroup group) {
    @SuppressWarnings("resource") // held until the process ends
    HeldGate held = new HeldGate(group.devices.get(0));
    return group.start(Fence.NONE);
  }
}
