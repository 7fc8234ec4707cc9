// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.util.function.BooleanSupplier;

/** Waits on monitors, for kernels and streams, which nothing interrupts. */
public final class Monitors {
  private Monitors() {}

  /**
   * Waits until {@code isOver}, which is asked again when the monitor is notified. A thread that is
   * interrupted goes on waiting, and is interrupted afterwards.
   *
   * @param monitor held by the thread
   */
  public static void await(Object monitor, BooleanSupplier isOver) {
    boolean interrupted = false;
    while (!isOver.getAsBoolean()) {
      try {
        monitor.wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
