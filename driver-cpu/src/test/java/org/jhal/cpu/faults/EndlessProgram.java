// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import java.time.Duration;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/** Closes a device whose kernel never ends, uses another device, and returns from main. */
final class EndlessProgram {
  private EndlessProgram() {}

  public static void main(String[] arguments) throws Exception {
    FaultRun run = new FaultRun("threads=2&close-timeout=200ms", "printing.cpp", List.of("spins"));
    TimelineSemaphore timeline = run.device().createSemaphore();
    DeviceBuffer from = run.device().allocate(4, BufferParams.DEVICE);
    DeviceBuffer to = run.device().allocate(256, BufferParams.DEVICE);
    var queue = run.device().queue(0);
    queue.upload(timeline.at(0), timeline.at(1), HostMemory.of(new int[] {1}), from, 0);
    queue.dispatch(
        timeline.at(1), timeline.at(2), run.kernel("spins"), Workgroups.of(4), Args.of(from, to));
    timeline.await(1, Duration.ofMinutes(1));
    run.close();
    try {
      timeline.await(2, Duration.ofMinutes(1));
      System.out.println("the kernel has ended");
    } catch (HalException e) {
      System.out.println(e.status());
    }
    try (FaultRun other = new FaultRun("threads=2", "printing.cpp", List.of("items"))) {
      System.out.println(other.run("items", 1).failure());
    }
  }
}
