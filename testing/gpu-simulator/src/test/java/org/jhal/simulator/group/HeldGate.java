// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;

/** External work that blocks launches of collectives, on all devices of the driver. */
final class HeldGate implements AutoCloseable {
  private final CountDownLatch isInside = new CountDownLatch(1);
  private final CountDownLatch mayLeave = new CountDownLatch(1);
  private final TimelineSemaphore done;

  /** Blocks launches from now on. */
  HeldGate(Device device) {
    done = device.createSemaphore(0);
    device
        .queue(0)
        .external(
            Fence.NONE,
            done.at(1),
            List.of(),
            work -> {
              isInside.countDown();
              try {
                mayLeave.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    awaitTrue("the external work", () -> isInside.getCount() == 0);
  }

  @Override
  public void close() {
    mayLeave.countDown();
    awaitReached(done, 1);
    done.close();
  }
}
