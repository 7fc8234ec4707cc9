// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Fence;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.spi.OpenOperation;
import org.junit.jupiter.api.Test;

/** Walking all open operations of a queue that continues to work. */
class OpenListTest {
  private static final int MANY = 300;

  private final QueueHarness harness = new QueueHarness(1);
  private final EngineSemaphore gate = QueueHarness.semaphore();
  private final EngineSemaphore done = QueueHarness.semaphore();
  private final DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);

  private List<Long> numbers() {
    return queue.open.newestFirst().stream().map(operation -> operation.key).toList();
  }

  @Test
  void showsAllWithTheNewestFirst() {
    for (int i = 1; i <= MANY; i++) {
      harness.enqueue(0, "parked", gate.at(i), done.at(i));
    }
    List<Long> seen = numbers();
    assertEquals(MANY, seen.size());
    for (int i = 0; i < MANY; i++) {
      assertEquals(MANY - i, seen.get(i));
    }
    gate.signal(MANY);
    harness.finish();
  }

  private long oldest() {
    OpenOperation oldest = queue.describeOldest();
    return oldest == null ? 0 : oldest.number();
  }

  @Test
  void describesTheOldestWhateverOrderOperationsEndIn() {
    assertEquals(0, oldest());
    harness.enqueue(0, "first", gate.at(1), done.at(1));
    harness.enqueue(0, "second", done.at(1), done.at(2));
    harness.enqueue(0, "third", gate.at(2), done.at(3));
    harness.enqueue(0, "fourth", Fence.NONE, Fence.NONE);
    harness.run();
    assertEquals(1, oldest());
    gate.signal(1);
    harness.run();
    assertEquals(3, oldest());
    harness.enqueue(0, "fifth", gate.at(2), Fence.NONE);
    gate.signal(2);
    harness.run();
    assertEquals(0, oldest());
    harness.enqueue(0, "sixth", gate.at(3), Fence.NONE);
    assertEquals(6, oldest());
    gate.signal(3);
    harness.finish();
  }

  /** The other thread needs the lock, and would block for ever if it were held meanwhile. */
  @Test
  void theQueueGoesOnWhileItsOperationsAreDescribed() {
    for (int i = 1; i <= MANY; i++) {
      harness.enqueue(0, "parked", gate.at(i), done.at(i));
    }
    List<Long> seen = new ArrayList<>();
    queue.describeOpen(
        null,
        described -> {
          if (seen.isEmpty()) {
            Threads other =
                Threads.start(
                    "other",
                    () -> {
                      gate.signal(MANY / 2);
                      harness.enqueue(0, "new", gate.at(MANY + 1), done.at(MANY + 1));
                      harness.run();
                    });
            other.join();
          }
          seen.add(described.number());
        });
    assertTrue(seen.size() >= MANY / 2 && seen.size() <= MANY, () -> seen.size() + " seen");
    assertEquals(MANY / 2, done.value());
    assertEquals(MANY / 2 + 1, numbers().size());
    gate.signal(MANY + 1);
    harness.finish();
  }

  /** An addition that runs out of stack has added nothing, so closing waits for nothing. */
  @Test
  void anAdditionWithoutStackAddsNothing() {
    for (int i = 0; i < 64; i++) {
      OpenList<FakeStream.Event> list = new OpenList<>();
      Operation<FakeStream.Event> operation = new Operation<>(queue, NoWork.get(), false);
      Threads.onSmallStack(() -> addDeep(list, operation));
      OperationChain<FakeStream.Event> over = new OperationChain<>();
      over.add(operation);
      list.remove(over);
      assertTrue(list.awaitNone(System.nanoTime()), "nothing is open");
    }
    harness.finish();
  }

  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static void addDeep(
      OpenList<FakeStream.Event> list, Operation<FakeStream.Event> operation) {
    try {
      addDeep(list, operation);
    } catch (StackOverflowError e) {
      list.add(operation, false); // if this throws the error as well, the frame above tries again
    }
  }
}
