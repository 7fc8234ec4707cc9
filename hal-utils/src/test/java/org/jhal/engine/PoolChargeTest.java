// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jhal.HalException;
import org.jhal.PoolRequest;
import org.jhal.PoolStatistics;
import org.jhal.Status;
import org.jhal.engine.memory.EnginePool;
import org.jhal.engine.memory.PoolCharge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Races for a part of a pool's budget, in the order that is hard to meet (rule M1a). */
@Timeout(60)
class PoolChargeTest {
  /** As if the device was lost while a thread was about to issue the alloca. */
  @Test
  void aFailedAllocaTakesNothingLater() {
    try (EngineDevice<Object> device = new InstantBackend().open(1)) {
      EnginePool pool = new EnginePool(device.core(), PoolRequest.of(1000));
      PoolCharge charge = new PoolCharge(pool, 600);
      charge.endUnlessHeld();
      HalException refused = assertThrows(HalException.class, charge::take);
      assertEquals(Status.CANCELLED, refused.status());
      assertEquals(new PoolStatistics(1000, 0, 0, 0, 0, 0, 0, 0), pool.statistics());
    }
  }
}
