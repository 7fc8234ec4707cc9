// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.process;

import java.util.ArrayList;
import java.util.List;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.Hal;

/** Closes its device, and keeps objects without native memory in a static field. */
public final class KeepsSemaphore implements Runnable {
  private static final List<Object> KEPT = new ArrayList<>();

  @Override
  public void run() {
    try (Device device = Hal.openDevice("mock")) {
      KEPT.add(device.createSemaphore(0));
      KEPT.add(device.createCommandBuffer(CommandBuffer.Mode.REUSABLE));
    }
  }
}
