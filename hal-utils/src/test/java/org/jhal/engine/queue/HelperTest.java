package org.jhal.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.concurrent.RefCounted;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Who issues completes what is over by then, and leaves to the completion thread what would run
 * what a user wrote, wake somebody, or call the driver.
 */
class HelperTest {
  private final QueueHarness harness = new QueueHarness(1);
  private final DeferredWorkQueue<FakeStream.Event> queue = harness.queues.get(0);
  private final EngineSemaphore done = QueueHarness.semaphore();
  private final List<String> happened = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    harness.finish();
  }

  private void runStream() {
    while (harness.streams.get(0).advance()) {
      continue;
    }
  }

  private QueueUse enqueue(String name, Fence signals) {
    return harness.enqueue(0, name, Fence.NONE, signals);
  }

  @Test
  void whoIssuesMuchCompletes() {
    for (int i = 1; i <= 8; i++) {
      enqueue("work " + i, done.at(i));
      runStream();
    }
    assertEquals(7, done.value(), "the last one was not over when it was issued");
    assertEquals(7, queue.retired());
  }

  @Test
  void whatIsNotOverStays() {
    QueueUse first = enqueue("first", done.at(1));
    runStream();
    QueueUse second = enqueue("second", done.at(2));
    queue.helpComplete();
    assertEquals(1, done.value());
    assertEquals(1, first.retired.get());
    assertEquals(0, second.retired.get());
  }

  @Test
  void callbacksRunOnTheCompletionThread() {
    done.onReach(2, failure -> happened.add("reached"));
    enqueue("first", done.at(1));
    QueueUse second = enqueue("second", done.at(2));
    runStream();
    queue.helpComplete();
    assertEquals(1, done.value(), "nobody waits for this value");
    assertEquals(List.of(), happened);
    assertEquals(0, second.retired.get());
    assertTrue(queue.completionStep());
    assertEquals(List.of("reached"), happened);
  }

  @Test
  void tailsAreStartedByTheCompletionThread() {
    for (boolean signalsAfterTail : new boolean[] {true, false}) {
      QueueUse use = new QueueUse("work", Fence.NONE, Fence.NONE);
      use.tail = () -> happened.add("tail");
      use.signalsAfterTail = signalsAfterTail;
      harness.enqueue(0, use);
      runStream();
      queue.helpComplete();
      assertFalse(harness.tailStep(), "a tail was started");
      assertEquals(0, use.retired.get());
      harness.run();
      assertEquals(1, use.retired.get());
    }
    assertEquals(List.of("tail", "tail"), happened);
  }

  @Test
  void whatTheDriverWantsToDoAtTheEndIsTheCompletionThreads() {
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.retiresQuietly = false;
    harness.enqueue(0, use);
    QueueUse next = enqueue("next", done.at(2));
    runStream();
    queue.helpComplete();
    assertEquals(2, done.value(), "the signals do not wait for it");
    assertEquals(0, use.retired.get());
    assertEquals(1, next.retired.get());
    harness.run();
    assertEquals(1, use.retired.get());
  }

  @Test
  void failuresAreTheCompletionThreads() {
    QueueUse use = new QueueUse("work", Fence.NONE, done.at(1));
    use.failsInStream = new HalException(Status.ABORTED, "failed");
    harness.enqueue(0, use);
    runStream();
    queue.helpComplete();
    assertNull(done.failure());
    assertTrue(queue.completionStep());
    assertNotNull(done.failure());
    assertEquals(1, use.retired.get());
  }

  /** A resource that says when it ends. */
  private final class Resource extends RefCounted {
    private final boolean isQuiet;

    Resource(boolean isQuiet) {
      this.isQuiet = isQuiet;
    }

    @Override
    protected boolean endsQuietly() {
      return isQuiet;
    }

    @Override
    protected void destroy() {
      happened.add("destroyed");
    }
  }

  private void retireWith(Resource resource) {
    QueueUse use = new QueueUse("work", Fence.NONE, Fence.NONE);
    use.resource = resource;
    harness.enqueue(0, use);
    runStream();
    queue.helpComplete();
    assertEquals(1, use.retired.get());
  }

  @Test
  void whatEndsWithItsLastUseEndsOnTheCompletionThread() {
    Resource resource = new Resource(false);
    assertTrue(resource.tryRetain());
    retireWith(resource);
    assertFalse(queue.completionStep(), "a use of many leaves nothing to do");
    retireWith(resource); // the last
    assertEquals(List.of(), happened);
    assertTrue(queue.completionStep());
    assertEquals(List.of("destroyed"), happened);
  }

  @Test
  void whatEndsUnseenEndsAtOnce() {
    retireWith(new Resource(true));
    assertEquals(List.of("destroyed"), happened);
    assertFalse(queue.completionStep());
  }

  @Test
  void manyResourcesAreKeptForTheCompletionThread() {
    for (int i = 0; i < 100; i++) {
      retireWith(new Resource(false));
    }
    assertEquals(List.of(), happened);
    assertTrue(queue.completionStep());
    assertEquals(100, happened.size());
  }

  @Test
  void aLookThatFailsLosesTheDevice() {
    QueueUse use = enqueue("work", done.at(1));
    runStream();
    harness.device.failNth("queryEvent", 1, new IllegalStateException("no answer"));
    queue.helpComplete();
    HalException lost = queue.lost();
    assertNotNull(lost);
    assertTrue(lost.getMessage().contains("queryEvent behind operation"), lost.getMessage());
    harness.run();
    assertNotNull(done.failure());
    assertEquals(1, use.retired.get());
  }
}
