// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BufferParamsTest {
  @Test
  void deviceMemoryAllowsEverythingButMapping() {
    Set<BufferUsage> all = EnumSet.allOf(BufferUsage.class);
    all.removeAll(List.of(BufferUsage.MAP_READ, BufferUsage.MAP_WRITE));

    assertEquals(all, BufferParams.DEVICE.usage());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEVICE")
  void otherMemoryAllowsEverything(MemoryType type) {
    assertEquals(EnumSet.allOf(BufferUsage.class), new BufferParams(type, Set.of()).usage());
  }

  @Test
  void mappingDeviceMemoryIsRefused() {
    for (BufferUsage usage : List.of(BufferUsage.MAP_READ, BufferUsage.MAP_WRITE)) {
      HalException refused =
          assertThrows(
              HalException.class,
              () -> BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_SOURCE, usage));

      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(refused.getMessage().contains(usage.name()), refused::getMessage);
      assertTrue(refused.getMessage().contains("DEVICE memory; it allows"), refused::getMessage);
    }
  }

  @Test
  void allowsOnlyTheNamedUsages() {
    BufferParams params =
        BufferParams.HOST.withUsage(
            BufferUsage.MAP_READ, BufferUsage.MAP_READ, BufferUsage.TRANSFER_TARGET);

    assertEquals(MemoryType.HOST, params.type());
    assertTrue(params.allows(List.of()));
    assertTrue(params.allows(List.of(BufferUsage.MAP_READ, BufferUsage.TRANSFER_TARGET)));
    assertFalse(params.allows(List.of(BufferUsage.MAP_READ, BufferUsage.MAP_WRITE)));
  }

  @Test
  void copiesTheUsage() {
    Set<BufferUsage> usage = EnumSet.of(BufferUsage.DISPATCH_READ);
    BufferParams params = new BufferParams(MemoryType.DEVICE, usage);
    usage.add(BufferUsage.DISPATCH_WRITE);

    assertEquals(Set.of(BufferUsage.DISPATCH_READ), params.usage());
  }
}
