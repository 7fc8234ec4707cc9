// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BindingTableTest {
  private final DeviceBuffer first = Fakes.buffer("first");
  private final DeviceBuffer second = Fakes.buffer("second");

  @Test
  void holdsOneBufferPerSlot() {
    BindingTable table = new BindingTable(3);
    table.set(2, first).set(0, second).set(2, second);

    assertEquals(3, table.size());
    assertSame(second, table.get(0));
    assertNull(table.get(1));
    assertSame(second, table.get(2));
    assertEquals("[second, null, second]", table.toString());
  }

  @Test
  void fillsItsSlotsInOrder() {
    BindingTable table = BindingTable.of(first, second);

    assertEquals(2, table.size());
    assertSame(first, table.get(0));
    assertSame(second, table.get(1));
    assertEquals(0, BindingTable.EMPTY.size());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, BindingTable.MAX_SIZE + 1, Integer.MAX_VALUE})
  void refusesASizeThatIsNegativeOrBeyondTheLimit(int size) {
    HalException refused = assertThrows(HalException.class, () -> new BindingTable(size));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals("binding table size " + size + " is not between 0 and 4096", refused.getMessage());
  }

  @Test
  void refusesMoreBuffersThanTheLimit() {
    DeviceBuffer[] most = new DeviceBuffer[BindingTable.MAX_SIZE];
    Arrays.fill(most, first);
    DeviceBuffer[] tooMany = Arrays.copyOf(most, most.length + 1);
    tooMany[most.length] = second;

    BindingTable table = BindingTable.of(most);

    assertSame(first, table.get(Slot.of(BindingTable.MAX_SIZE - 1).index()));
    assertThrows(HalException.class, () -> BindingTable.of(tooMany));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void refusesASlotThatItDoesNotHave(int slot) {
    BindingTable table = new BindingTable(2);

    HalException set = assertThrows(HalException.class, () -> table.set(slot, first));
    HalException get = assertThrows(HalException.class, () -> table.get(slot));

    assertEquals(Status.OUT_OF_RANGE, set.status());
    assertEquals(Status.OUT_OF_RANGE, get.status());
    assertEquals("slot " + slot + " of a binding table with 2 slots", get.getMessage());
  }
}
