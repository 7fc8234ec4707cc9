// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.process;

import java.time.Duration;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;

/** Uses a bit of everything, and closes all of it. */
public final class UsesDevices implements Runnable {
  @Override
  public void run() {
    try (Device device = Hal.openDevice("mock://?queues=2");
        TimelineSemaphore timeline = device.createSemaphore(0);
        DeviceBuffer buffer = device.allocate(1 << 16, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.fill(buffer, 0, 1 << 16, FillPattern.ZERO);
      commands.end();
      timeline.onReach(2, failed -> {});
      device.queue(0).execute(timeline.at(1), timeline.at(2), commands);
      device
          .queue(1)
          .hostCall(timeline.at(2), timeline.at(3), HostCall.Mode.BLOCKING, context -> {});
      timeline.signal(1);
      timeline.await(3, Duration.ofSeconds(20));
      device.queue(0).fill(Fence.NONE, timeline.at(4), buffer, 0, 16, FillPattern.ZERO);
      timeline.await(4, Duration.ofSeconds(20));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
