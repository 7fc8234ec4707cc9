// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

class PeerAccessTest {
  @Test
  void aDeviceAlone() {
    PeerAccess alone =
        PeerAccess.ask(
            0,
            1,
            owner -> {
              throw new AssertionError("access to itself was queried");
            });
    assertNull(alone.obstacle(0));
    assertEquals("there is no other device", alone.toString());
  }

  @Test
  void allOthers() {
    List<Integer> asked = new ArrayList<>();
    PeerAccess access = PeerAccess.ask(1, 4, asked::add);
    assertEquals(List.of(0, 2, 3), asked);
    assertNull(access.obstacle(3));
    assertNull(access.obstacle(1), "its own memory");
    assertEquals("0, 2, 3", access.toString());
  }

  @Test
  void reportsRefusedAndFailedQueries() {
    PeerAccess access =
        PeerAccess.ask(
            0,
            5,
            owner -> {
              if (owner == 3) {
                throw new HalException(Status.UNAVAILABLE, "canAccess returned 719");
              }
              return owner == 1;
            });
    assertNull(access.obstacle(1));
    assertEquals("the runtime offers no access", access.obstacle(2));
    assertEquals("canAccess returned 719", access.obstacle(3));
    assertEquals(
        "1; not 2, 4: the runtime offers no access; not 3: canAccess returned 719",
        access.toString());
  }

  @Test
  void aDeviceThatWasNotQueriedIsInaccessible() {
    assertNotNull(PeerAccess.ask(0, 2, owner -> true).obstacle(2));
  }
}
