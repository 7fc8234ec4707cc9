// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of timepoints (rule S1a: two timepoints of one semaphore keep the larger). */
class FenceTest {
  private final TimelineSemaphore a = new FakeTimelineSemaphore("a");
  private final TimelineSemaphore b = new FakeTimelineSemaphore("b");
  private final TimelineSemaphore c = new FakeTimelineSemaphore("c");

  @Test
  void aTimepointIsAFence() {
    Timepoint point = a.at(3);

    assertEquals(1, point.size());
    assertSame(a, point.semaphore(0));
    assertEquals(3, point.value(0));
    assertSame(a, point.semaphore());
    assertEquals(3, point.value());
    assertEquals("a@3", point.toString());
    assertThrows(IndexOutOfBoundsException.class, () -> point.semaphore(1));
    assertThrows(IndexOutOfBoundsException.class, () -> point.value(-1));
  }

  @Test
  void timepointsOfTheSameSemaphoreAndValueAreEqual() {
    assertEquals(a.at(3), a.at(3));
    assertEquals(a.at(3).hashCode(), a.at(3).hashCode());
    assertNotEquals(a.at(3), a.at(4));
    assertNotEquals(a.at(3), b.at(3));
  }

  @Test
  void refusesANegativeTimepoint() {
    HalException refused = assertThrows(HalException.class, () -> a.at(-1));

    assertEquals(Status.OUT_OF_RANGE, refused.status());
    assertEquals("timepoint value -1 of a is negative", refused.getMessage());
    assertEquals(Long.MAX_VALUE, a.at(Long.MAX_VALUE).value());
    assertEquals(0, a.at(0).value());
  }

  @Test
  void keepsTheOrderOfItsTimepoints() {
    Fence fence = Fence.of(c.at(1), a.at(2), b.at(3));

    assertEquals("[c@1, a@2, b@3]", fence.toString());
    assertEquals(3, fence.size());
    assertSame(c, fence.semaphore(0));
    assertEquals(3, fence.value(2));
    assertThrows(IndexOutOfBoundsException.class, () -> fence.value(3));
    assertThrows(IndexOutOfBoundsException.class, () -> fence.semaphore(-1));
  }

  @Test
  void keepsTheLargerOfTwoTimepointsOfOneSemaphore() {
    assertEquals("[a@7, b@1]", Fence.of(a.at(5), b.at(1), a.at(7), a.at(6), b.at(0)).toString());
    assertEquals(a.at(2), Fence.of(a.at(1), a.at(2)));
  }

  @Test
  void joinsTwoFences() {
    Fence fence = Fence.of(a.at(5), b.at(1)).and(Fence.of(b.at(2), c.at(3))).and(a.at(4));

    assertEquals("[a@5, b@2, c@3]", fence.toString());
    assertEquals(a.at(5), Fence.NONE.and(a.at(5)));
    assertEquals(a.at(5), a.at(5).and(Fence.NONE));
    assertSame(Fence.NONE, Fence.NONE.and(Fence.NONE));
  }

  /** This would take hours if each join copied all timepoints. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsManyTimepointsOneByOneInTime(boolean isOtherFirst) {
    int count = 300_000;
    List<TimelineSemaphore> semaphores = new ArrayList<>(count);
    Fence all = Fence.NONE;
    for (int i = 0; i < count; i++) {
      TimelineSemaphore next = new FakeTimelineSemaphore("s");
      semaphores.add(next);
      all = isOtherFirst ? next.at(i).and(all) : all.and(next.at(i));
    }

    assertEquals(count, all.size());
    for (int i = 0; i < count; i++) {
      int value = isOtherFirst ? count - 1 - i : i;
      assertEquals(value, all.value(i));
      assertSame(semaphores.get(value), all.semaphore(i));
    }
  }

  /** If a fence kept everything that was joined, each join would double it. */
  @Test
  void aFenceJoinedWithItselfStaysSmall() {
    Fence all = Fence.of(a.at(1), b.at(2));
    for (int i = 0; i < 100; i++) {
      all = all.and(all).and(c.at(i));
    }

    assertEquals("[a@1, b@2, c@99]", all.toString());
  }

  @Test
  void aFenceThatWasUsedBeforeItIsJoinedKeepsItsTimepoints() {
    Fence first = Fence.of(a.at(1), b.at(2));
    Fence both = first.and(c.at(3));
    assertEquals("[a@1, b@2, c@3]", both.toString());
    Fence more = both.and(a.at(5)).and(first);

    assertEquals("[a@5, b@2, c@3]", more.toString());
    assertEquals("[a@1, b@2, c@3]", both.toString());
    assertEquals("[a@1, b@2]", first.toString());
  }

  @Test
  void aFenceOfNoTimepointsIsNone() {
    assertSame(Fence.NONE, Fence.of());
    assertSame(Fence.NONE, Fence.of(List.of()));
    assertEquals(0, Fence.NONE.size());
    assertEquals("[]", Fence.NONE.toString());
  }

  @Test
  void copiesTheGivenArray() {
    Timepoint[] points = {a.at(1), b.at(2)};
    Fence fence = Fence.of(points);
    points[0] = c.at(9);

    assertEquals("[a@1, b@2]", fence.toString());
  }
}
