// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.semaphore;

import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.HeldOperation;
import org.jhal.cts.support.Task;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The report on everything that is open (rule S11). */
@CtsSuite
class HalExplainTest {
  /** Much longer than a report on a hundred thousand operations takes. */
  private static final Duration LONG = Duration.ofSeconds(30);

  /** The report, after a check that it came in time and is short. */
  private static String explain() {
    long start = System.nanoTime();
    String text = Hal.explain();
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(time.compareTo(LONG) < 0, () -> "explaining took " + time);
    assertTrue(text.length() <= Hal.EXPLANATION_LIMIT, () -> text.length() + " characters");
    return text;
  }

  /** Asserts that one line of {@code text} has all of {@code parts}, each as a word. */
  private static void assertLine(String text, Object... parts) {
    assertTrue(
        text.lines().anyMatch(line -> hasAll(line, parts)),
        () -> "no line with " + List.of(parts) + " in:\n" + text);
  }

  private static void assertNoLine(String text, Object... parts) {
    assertFalse(
        text.lines().anyMatch(line -> hasAll(line, parts)),
        () -> "a line with " + List.of(parts) + " in:\n" + text);
  }

  private static boolean hasAll(String line, Object... parts) {
    for (Object part : parts) {
      if (!line.matches(".*(?<!\\w)" + Pattern.quote(part.toString()) + "(?!\\w).*")) {
        return false;
      }
    }
    return true;
  }

  private static String name(DeviceQueue queue) {
    return queue.toString();
  }

  @Test
  @Rule("S11")
  void reportsOpenOperationsAndTheirProducers(Cts cts) {
    TimelineSemaphore go = cts.semaphore(1);
    TimelineSemaphore middle = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(64);
    DeviceQueue last = cts.queue(cts.device().queueCount() - 1);
    cts.queue().fill(go.at(3), middle.at(2), buffer, 0, 64, FillPattern.ZERO);
    last.barrier(middle.at(1), done.at(1));
    String text = explain();
    assertLine(
        text, cts.queue(), "fill", go, "to reach 3", "now at 1", "no operation has promised");
    assertLine(text, last, "barrier", middle, "to reach 1", "by " + name(cts.queue()));
    assertTrue(
        text.indexOf("No operation has promised") < text.indexOf("\nDevice "),
        "the stuck waits are not first");
    go.signal(3);
    awaitReached(done, 1);
    assertNoLine(explain(), "waits for", go);
    assertNoLine(explain(), "waits for", middle);
  }

  @Test
  @Rule("S11")
  void reportsACycle(Cts cts) {
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore two = cts.semaphore();
    DeviceQueue last = cts.queue(cts.device().queueCount() - 1);
    cts.queue().barrier(one.at(1), two.at(1));
    last.barrier(two.at(1), one.at(2));
    String text = explain();
    assertTrue(text.indexOf("Cycle: 2 operations") > 0, text);
    assertTrue(text.indexOf("Cycle") < text.indexOf("\nDevice "), text);
    assertLine(text, cts.queue(), one, "to reach 1", "by " + name(last), "signals 2");
    assertLine(text, last, two, "to reach 1", "by " + name(cts.queue()));
    one.signal(1); // only the program itself can end the cycle
    awaitReached(Fence.of(one.at(2), two.at(1)));
  }

  @Test
  @Rule("S11")
  @Needs(Need.SECOND_DEVICE)
  void reportsACycleOfTwoDevices(Cts cts) {
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore two = cts.semaphore(cts.second(), 0);
    DeviceQueue other = cts.second().queue(0);
    cts.queue().barrier(one.at(1), two.at(1));
    other.barrier(two.at(1), one.at(1));
    String text = explain();
    assertTrue(text.contains("Cycle: 2 operations"), text);
    assertLine(text, cts.queue(), one, "by " + name(other));
    assertLine(text, other, two, "by " + name(cts.queue()));
    assertLine(text, "Device", cts.second());
    HalException over = new HalException(Status.ABORTED, "given up");
    one.fail(over);
    assertEquals(Status.ABORTED, awaitFailure(two, 1).status());
    assertFalse(explain().contains("Cycle"), HalExplainTest::explain);
  }

  @Test
  @Rule("S11")
  void reportsIssuedWorkAndHostCalls(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore called = cts.semaphore();
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().barrier(blocker.timepoint(), done.at(77));
    HeldOperation held = new HeldOperation(cts, cts.queue(), Fence.NONE, called.at(78));
    String text = explain();
    assertLine(text, cts.queue(), "barrier", done + "@77");
    assertLine(text, cts.queue(), "host call", called + "@78");
    assertNoLine(text, done, "no operation has promised");
    blocker.release();
    held.complete();
    awaitReached(Fence.of(done.at(77), called.at(78)));
  }

  @Test
  @Rule("S11")
  void reportsFailedTimelines(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    failed.fail(new HalException(Status.DATA_LOSS, "rotten"));
    cts.queue().barrier(go.at(1), failed.at(1));
    assertLine(explain(), failed, "DATA_LOSS", "rotten");
    go.fail(new HalException(Status.ABORTED, "over"));
    assertEquals(Status.ABORTED, awaitFailure(go, 1).status());
  }

  @Test
  @Rule("S11")
  void mayBeCalledInACallback(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    AtomicReference<@Nullable String> text = new AtomicReference<>();
    cts.queue().barrier(never.at(5), Fence.NONE);
    cts.queue().barrier(go.at(1), done.at(1));
    done.onReach(1, failure -> text.set(explain()));
    go.signal(1);
    assertLine(awaitSet("the callback", text), never, "to reach 5", "no operation has promised");
    never.signal(5);
  }

  @Test
  @Rule("S11")
  void mayBeCalledInExternalWork(Cts cts) {
    ExternalCommands unused =
        new ExternalCommands(cts, cts.device()); // the test is unsupported without external work
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    AtomicReference<@Nullable String> text = new AtomicReference<>();
    cts.queue().barrier(never.at(5), Fence.NONE);
    cts.queue().external(Fence.NONE, done.at(9), List.of(), context -> text.set(explain()));
    awaitReached(done, 9);
    String all = awaitSet("the external work", text);
    assertLine(all, never, "to reach 5", "no operation has promised");
    assertLine(all, "external", done + "@9");
    never.signal(5);
  }

  @Test
  @Rule("S11")
  @FreshDevice
  @Needs(Need.CONTROLS)
  void reportsALostDevice(Cts cts) {
    cts.allowWarnings();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(cts.semaphore().at(1), done.at(1));
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
    assertEquals(Status.UNAVAILABLE, awaitFailure(done, 1).status());
    assertLine(explain(), "Device", cts.device(), "lost", "the cable was pulled");
  }

  @Test
  @Rule("S11")
  @FreshDevice
  void doesNotReportAClosedDevice(Cts cts) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    cts.queue().barrier(go.at(1), done.at(1));
    assertLine(explain(), "waits for", go);
    cts.device().close();
    assertEquals(Status.CANCELLED, awaitFailure(done, 1).status());
    assertNoLine(explain(), "waits for", go);
  }

  /** Each operation waits for the one before it, and all are parked. */
  @Test
  @Rule("S11")
  void countsAHundredThousandParkedOperations(Cts cts) {
    int count = 100_000;
    TimelineSemaphore chain = cts.semaphore();
    for (int i = 1; i <= count; i++) {
      cts.queue().barrier(chain.at(i), chain.at(i + 1));
    }
    String text = explain();
    assertLine(text, "Queue", cts.queue(), count + " open operations");
    assertLine(text, chain, "to reach 1", "no operation has promised");
    chain.signal(1);
    awaitReached(chain, count + 1);
  }

  /** explain() neither blocks other threads nor is blocked by them. */
  @Test
  @Rule("S11")
  void doesNotBlockEnqueueingThreads(Cts cts) throws Exception {
    int count = 20_000;
    TimelineSemaphore never = cts.semaphore();
    cts.queue().barrier(never.at(5), Fence.NONE);
    List<Task<@Nullable Void>> users = new ArrayList<>();
    List<TimelineSemaphore> chains = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      TimelineSemaphore done = cts.semaphore();
      chains.add(done);
      users.add(
          Task.run(
              "user " + i,
              () -> {
                for (int k = 1; k <= count; k++) {
                  queue.barrier(done.at(k - 1), done.at(k));
                }
                awaitReached(done, count);
              }));
    }
    int looks = 0;
    do {
      String text = explain();
      assertLine(text, never, "to reach 5", "no operation has promised");
      chains.forEach(done -> assertNoLine(text, done, "no operation has promised"));
      assertFalse(text.contains("Cycle"), text);
      looks++;
    } while (users.stream().anyMatch(Task::isRunning) || looks < 10);
    for (Task<@Nullable Void> user : users) {
      user.join();
    }
    never.signal(5);
  }
}
