// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jhal.AcquiredQueue;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.QueueRequest;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A share whose stream cannot be made (rule Q12). */
@Timeout(60)
class RefusedShareTest {
  private static final QueueRequest MOST = QueueRequest.DEFAULT.withShare(0.75);

  @Test
  void aRefusedShareTakesNothing() {
    try (Device device = Hal.openDevice("mock://0")) {
      MockControls controls = MockControls.of(device);
      HalException failure = new HalException(Status.RESOURCE_EXHAUSTED, "refused by the test");
      for (int i = 0; i < 2; i++) {
        controls.failNth("createStream", 1, failure);
        HalException refused = assertThrows(HalException.class, () -> device.acquireQueue(MOST));
        assertEquals(failure.getMessage(), refused.getMessage());
      }
      try (AcquiredQueue queue = device.acquireQueue(MOST)) {
        assertEquals(12, queue.granted().computeUnits());
      }
    }
  }
}
