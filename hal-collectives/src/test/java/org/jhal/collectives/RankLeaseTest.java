// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.base.DeviceCore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A native collective holds the devices of all ranks, or none. */
class RankLeaseTest {
  private final List<EngineDevice<?>> devices = new ArrayList<>();
  private final List<DeviceCore<?>> cores = new ArrayList<>();

  @BeforeEach
  void open() {
    for (int i = 0; i < 3; i++) {
      EngineDevice<?> device = new InstantBackend(i).open(1);
      devices.add(device);
      cores.add(Groups.of(device).device());
    }
  }

  @AfterEach
  void close() {
    devices.forEach(EngineDevice::close);
  }

  private boolean isHeld(int rank) {
    return !cores.get(rank).leases().uses.isEmpty();
  }

  @Test
  void eachDeviceIsHeldUntilItsOwnRelease() {
    List<RankLease> leases = RankLease.of(cores);
    for (int released = 0; released < cores.size(); released++) {
      for (int rank = 0; rank < cores.size(); rank++) {
        assertEquals(rank >= released, isHeld(rank), "device " + rank + " is held");
      }
      leases.get(released).release();
    }
    assertFalse(isHeld(cores.size() - 1));
  }

  /** Otherwise the close of the others would wait for what never began. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aClosedDeviceLeavesNoOtherHeld(int closed) {
    devices.get(closed).close();
    HalException refused = assertThrows(HalException.class, () -> RankLease.of(cores));
    assertEquals(Status.FAILED_PRECONDITION, refused.status(), refused::toString);
    assertTrue(refused.getMessage().contains(cores.get(closed).name()), refused::toString);
    for (int rank = 0; rank < cores.size(); rank++) {
      assertFalse(isHeld(rank), "device " + rank + " is held");
    }
  }
}
