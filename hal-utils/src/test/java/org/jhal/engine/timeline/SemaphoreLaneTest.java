// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Published events of one device on one semaphore. */
class SemaphoreLaneTest {
  private final SemaphoreLane lane = new SemaphoreLane("device");

  private Producer add(long value) {
    Producer operation = new NoProducer();
    lane.addEvent(value, operation);
    return operation;
  }

  @Test
  void theSmallestValueThatCoversIsTaken() {
    Producer four = add(4);
    Producer two = add(2);
    Producer nine = add(9);
    assertSame(two, lane.covering(0));
    assertSame(two, lane.covering(2));
    assertSame(four, lane.covering(3));
    assertSame(nine, lane.covering(5));
    assertSame(nine, lane.covering(9));
    assertNull(lane.covering(10));
  }

  @Test
  void ofEqualValuesTheFirstIsTaken() {
    add(1);
    Producer first = add(5);
    add(5);
    add(7);
    assertSame(first, lane.covering(5));
    assertSame(first, lane.covering(2));
  }

  @Test
  void droppingRemovesWhatIsReached() {
    add(1);
    add(2);
    Producer three = add(3);
    lane.dropEvents(2);
    assertSame(three, lane.covering(1));
    lane.dropEvents(2);
    assertSame(three, lane.covering(1));
    lane.dropEvents(Long.MAX_VALUE);
    assertNull(lane.covering(1));
    assertTrue(lane.isEmpty());
  }

  @Test
  void aLaneWithAWaiterIsNotEmpty() {
    WaitNode node =
        new WaitNode(null) {
          @Override
          public void released(Cascade cascade) {}
        };
    lane.waiters.insert(node);
    assertTrue(!lane.isEmpty());
    lane.waiters.remove(node);
    assertTrue(lane.isEmpty());
  }

  /**
   * Compares with a list: values are added mostly in order, as queues do, and dropped from below.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void behavesAsASortedList(long seed) {
    Random random = new Random(seed);
    record Published(long value, Producer operation) {}
    List<Published> model = new ArrayList<>();
    long next = 0;
    long reached = 0;
    for (int step = 0; step < 5_000; step++) {
      if (random.nextInt(100) < 55) {
        next++;
        long value =
            Math.max(reached + 1, random.nextInt(10) == 0 ? next - random.nextInt(20) : next);
        model.add(new Published(value, add(value)));
        model.sort(Comparator.comparingLong(Published::value)); // stable
      } else {
        reached = Math.min(next, reached + random.nextInt(4));
        lane.dropEvents(reached);
        while (!model.isEmpty() && model.get(0).value <= reached) {
          model.remove(0);
        }
      }
      long wanted = reached + random.nextInt(30);
      Producer expected =
          model.stream()
              .filter(p -> p.value >= wanted)
              .map(Published::operation)
              .findFirst()
              .orElse(null);
      assertSame(expected, lane.covering(wanted), "step " + step);
      assertEquals(model.isEmpty(), lane.isEmpty());
    }
  }
}
