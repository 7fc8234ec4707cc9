// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;
import static org.jhal.spark.Tasks.end;
import static org.jhal.spark.Tasks.in;
import static org.jhal.spark.Tasks.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.mock.MockControls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The device of a task: how a task gets it, waits for it and returns it. */
class HalTaskTest {
  @SuppressWarnings("UnusedVariable") // JUnit closes it
  @AutoClose
  private @Nullable TestExecutor executor;

  private TestExecutor open(int concurrentTasks, String... addresses) {
    return open(new TestExecutor(concurrentTasks, addresses));
  }

  private TestExecutor open(TestExecutor opened) {
    executor = opened;
    return opened;
  }

  /** A task that has the device {@code mock}. */
  private static TaskContextImpl task() {
    return Tasks.of(RESOURCE, "mock");
  }

  private static HalException refused(Status status, TaskContextImpl task, String... texts) {
    HalException refused =
        assertThrows(HalException.class, () -> in(task, HalTask::device), "HalTask.device()");
    assertEquals(status, refused.status(), refused::toString);
    for (String text : texts) {
      assertTrue(refused.getMessage().contains(text), () -> text + " in " + refused);
    }
    return refused;
  }

  // Wrong settings and calls.

  @Test
  void refusesACallOutsideOfATask() {
    HalException refused = assertThrows(HalException.class, HalTask::device);
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    assertTrue(refused.getMessage().contains("no Spark task on this thread"), refused::toString);
  }

  @Test
  void namesTheSettingIfThePluginIsMissing() {
    refused(Status.FAILED_PRECONDITION, task(), "spark.plugins=org.jhal.spark.HalPlugin");
  }

  @Test
  void listsTheResourcesOfATaskWithoutTheRightOne() {
    open(1, "mock");
    String[] texts = {"no resource 'accelerator'", "spark.task.resource.accelerator.amount"};
    refused(Status.FAILED_PRECONDITION, Tasks.withoutResources(), texts);
    refused(Status.FAILED_PRECONDITION, Tasks.of("fpga", "mock"), "it has [fpga]");
  }

  @Test
  void refusesATaskWithSeveralAddresses() {
    open(1, "mock://0?devices=2", "mock://1?devices=2");
    refused(
        Status.INVALID_ARGUMENT,
        Tasks.of(RESOURCE, "mock://0?devices=2", "mock://1?devices=2"),
        "2 addresses",
        "mock://1?devices=2",
        "spark.task.resource.accelerator.amount to 1");
    refused(Status.INVALID_ARGUMENT, Tasks.of(RESOURCE), "0 addresses");
  }

  @Test
  void namesAnAddressThatIsNoUri() {
    open(1, "0", "mock");
    refused(
        Status.INVALID_ARGUMENT,
        Tasks.of(RESOURCE, "0"),
        "address '0'",
        "malformed device URI '0'",
        "hal devices --spark accelerator");
    assertTrue(in(task(), HalTask::device).device().queueCount() > 0);
  }

  @Test
  void namesADeviceThatIsNotOnThisMachine() {
    open(1, "mock://7", "nosuch://GPU-1");
    HalException first =
        refused(Status.NOT_FOUND, Tasks.of(RESOURCE, "mock://7"), "address 'mock://7'", "index 7");
    HalException second = refused(Status.NOT_FOUND, Tasks.of(RESOURCE, "mock://7"));
    assertNotEquals(first, second, "exceptions of two tasks");
    refused(Status.NOT_FOUND, Tasks.of(RESOURCE, "nosuch://GPU-1"), "no driver 'nosuch'");
  }

  @Test
  void namesAnAddressThatTheExecutorDoesNotHave() {
    open(1, "mock");
    refused(Status.NOT_FOUND, Tasks.of(RESOURCE, "mock://0"), "'mock://0'", "[mock]");
  }

  @Test
  void refusesAnAddressWithAnotherNumberOfQueues() {
    open(3, "mock://0?queues=3", "mock://0?queues=4");
    assertEquals(3, take("mock://0?queues=3").device().queueCount());
    refused(
        Status.INVALID_ARGUMENT,
        Tasks.of(RESOURCE, "mock://0?queues=4"),
        "4 queues",
        "spark.jhal.concurrentTasks is 3");
  }

  @Test
  void readsSettings() {
    assertEquals(new SparkSettings("gpu", 2, true), SparkSettings.of(new SparkConf(false)));
    SparkConf conf =
        new SparkConf(false)
            .set("spark.jhal.resource", "fpga")
            .set("spark.jhal.concurrentTasks", "64")
            .set("spark.jhal.exitOnLost", "false");
    assertEquals(new SparkSettings("fpga", 64, false), SparkSettings.of(conf));
    for (String wrong : new String[] {"0", "65", "-1", "two", "", "1.5"}) {
      HalException refused =
          assertThrows(
              HalException.class,
              () -> SparkSettings.of(conf.set("spark.jhal.concurrentTasks", wrong)));
      assertTrue(
          refused.getMessage().startsWith("spark.jhal.concurrentTasks is "), refused::toString);
    }
    SparkConf yes = new SparkConf(false).set("spark.jhal.exitOnLost", "yes");
    HalException refused = assertThrows(HalException.class, () -> SparkSettings.of(yes));
    assertEquals("spark.jhal.exitOnLost is 'yes': must be true or false", refused.getMessage());
  }

  // Permits.

  private static TaskDevice take(String address) {
    return in(Tasks.of(RESOURCE, address), HalTask::device);
  }

  @Test
  void allThreadsOfAnAttemptGetTheSameQueue() {
    TestExecutor opened = open(1, "mock");
    TaskContextImpl task = task();
    TaskDevice mine = in(task, HalTask::device);
    assertSame(mine, in(task, HalTask::device));
    assertSame(mine, Tasks.get("another thread", start(task, HalTask::device), opened));
  }

  @Test
  void waitingThreadsOfOneAttemptGetTheSameQueue() {
    TestExecutor opened = open(1, "mock");
    TaskContextImpl first = task();
    TaskContextImpl second = task();
    TaskDevice unused = in(first, HalTask::device);
    CompletableFuture<TaskDevice> one = start(second, HalTask::device);
    CompletableFuture<TaskDevice> other = startWaiting(opened, 2, second);
    end(first);
    assertSame(Tasks.get("one thread", one, opened), Tasks.get("the other thread", other, opened));
  }

  /** Starts a task that waits for a queue, as the nth one. */
  private static CompletableFuture<TaskDevice> startWaiting(
      TestExecutor opened, int nth, TaskContextImpl task) {
    CompletableFuture<TaskDevice> taken = start(task, HalTask::device);
    opened.await("task " + nth + " to wait", nth + " waiting");
    return taken;
  }

  /** Tasks with a fraction of an address have the same address. */
  @Test
  void tasksWithAFractionShareTheDevice() {
    open(2, "mock");
    TaskDevice one = take("mock");
    TaskDevice other = take("mock");
    assertSame(one.device(), other.device());
    assertNotEquals(one.queue().index(), other.queue().index());
  }

  @Test
  void moreTasksThanQueuesWaitInTheirOrder() {
    TestExecutor opened = open(2, "mock");
    TaskContextImpl first = task();
    TaskContextImpl second = task();
    TaskContextImpl third = task();
    TaskDevice one = in(first, HalTask::device);
    TaskDevice two = in(second, HalTask::device);
    CompletableFuture<TaskDevice> waits = startWaiting(opened, 1, third);
    CompletableFuture<TaskDevice> waitsToo = startWaiting(opened, 2, task());
    end(second);
    assertSame(two.lentQueue(), Tasks.get("the third task", waits, opened).queue());
    assertFalse(waitsToo.isDone(), "the fourth task");
    end(first);
    assertSame(one.lentQueue(), Tasks.get("the fourth task", waitsToo, opened).queue());
    assertEquals(2, opened.counts.permitWaits());
    assertTrue(opened.counts.permitWaitNanos() > 0);
  }

  @Test
  void aKillEndsTheWaitForAQueue() {
    TestExecutor opened = open(1, "mock");
    TaskContextImpl first = task();
    TaskContextImpl second = task();
    TaskDevice mine = in(first, HalTask::device);
    CompletableFuture<TaskDevice> killed = startWaiting(opened, 1, second);
    CompletableFuture<TaskDevice> next = startWaiting(opened, 2, task());
    second.markInterrupted("not needed"); // without an interrupt of the thread
    Throwable thrown = Tasks.failure("the second task", killed, opened);
    assertInstanceOf(TaskKilledException.class, thrown);
    end(second);
    end(first);
    assertSame(mine.lentQueue(), Tasks.get("the third task", next, opened).queue());
  }

  @Test
  void anInterruptWithoutAKillIsReportedAsCancelled() {
    open(1, "mock");
    TaskDevice unused = take("mock");
    TaskContextImpl task = task();
    Thread.currentThread().interrupt();
    refused(Status.CANCELLED, task, "interrupted");
    assertTrue(Thread.interrupted());
    Thread.currentThread().interrupt();
    task.markInterrupted("not needed");
    assertThrows(TaskKilledException.class, () -> in(task, HalTask::device));
    assertTrue(Thread.interrupted());
  }

  @Test
  void aStoppingExecutorCancelsWaitingTasks() {
    TestExecutor opened = open(1, "mock");
    TaskDevice unused = take("mock");
    CompletableFuture<TaskDevice> waits = startWaiting(opened, 1, task());
    opened.devices.close();
    Throwable thrown = Tasks.failure("the task that waits", waits, opened);
    assertEquals(Status.CANCELLED, assertInstanceOf(HalException.class, thrown).status());
  }

  // The end of an attempt.

  @Test
  void timelinesFailAtTheEndOfTheAttempt() {
    open(1, "mock");
    TaskContextImpl task = task();
    TaskDevice mine = in(task, HalTask::device);
    Device device = mine.device();
    TimelineSemaphore timeline = mine.createTimeline();
    timeline.signal(3);
    end(task);
    HalException failure = timeline.failure();
    assertEquals(Status.CANCELLED, failure == null ? null : failure.status());
    assertEquals(0, device.statistics().semaphores(), "timelines");
    HalException refused = assertThrows(HalException.class, mine::createTimeline);
    assertEquals(Status.CANCELLED, refused.status());
    assertTrue(refused.getMessage().endsWith("is over"), refused::toString);
    refused(Status.FAILED_PRECONDITION, task, "is over");
    assertEquals(0, device.statistics().semaphores(), "timelines");
  }

  /** The queue belongs to another attempt then. */
  @Test
  void anEndedAttemptGetsNoQueue() {
    open(1, "mock");
    TaskContextImpl first = task();
    TaskDevice mine = in(first, HalTask::device);
    assertSame(mine.device(), mine.queue().device());
    end(first);
    TaskDevice next = take("mock");
    assertOver("queue()", mine::queue);
    assertOver("device()", mine::device);
    assertOver("createTimeline()", mine::createTimeline);
    assertEquals(0, next.device().statistics().semaphores(), "timelines");
    assertTrue(mine.toString().contains("task " + first.taskAttemptId()), mine::toString);
  }

  private static void assertOver(String what, Executable call) {
    HalException refused = assertThrows(HalException.class, call, what);
    assertEquals(Status.CANCELLED, refused.status(), what);
    assertTrue(refused.getMessage().endsWith("is over"), () -> what + ": " + refused);
  }

  @Test
  void forgetsEndedTimelines() {
    open(1, "mock");
    TaskContextImpl task = task();
    TaskDevice mine = in(task, HalTask::device);
    TimelineSemaphore first = mine.createTimeline();
    for (int i = 0; i < 1000; i++) {
      mine.createTimeline().close();
    }
    TimelineSemaphore last = mine.createTimeline();
    assertEquals(2, mine.device().statistics().semaphores(), "timelines");
    assertTrue(mine.kept() < 200, () -> mine.kept() + " timelines are kept");
    end(task);
    assertTrue(first.failure() != null && last.failure() != null);
  }

  @Test
  void returnsTheQueueWhenItsLastOperationHasRetired() {
    TestExecutor opened = open(1, "mock");
    TaskContextImpl first = task();
    TaskDevice mine = in(first, HalTask::device);
    MockControls controls = MockControls.of(mine.device());
    DeviceQueue queue = mine.queue();
    controls.pause(queue);
    TimelineSemaphore timeline = mine.createTimeline();
    queue.barrier(Fence.NONE, timeline.at(1)); // in flight
    queue.barrier(mine.createTimeline().at(1), timeline.at(2)); // waits until the timeline fails
    end(first);
    opened.await("an operation to be waited for", "1 with operations of tasks that are over");
    CompletableFuture<TaskDevice> next = startWaiting(opened, 1, task());
    assertTrue(queue.openOperations() > 0);
    assertFalse(next.isDone());
    controls.resume(queue);
    assertSame(queue, Tasks.get("the next task", next, opened).queue());
    assertEquals(0, queue.openOperations());
    assertEquals(0, queue.device().statistics().semaphores(), "timelines");
  }

  @Test
  void aKilledTaskReleasesEverything() {
    TestExecutor opened = open(1, "mock://?delay=10ms");
    TaskContextImpl first = Tasks.of(RESOURCE, "mock://?delay=10ms");
    CompletableFuture<Boolean> killed =
        start(
            first,
            () -> {
              TaskDevice mine = HalTask.device();
              TimelineSemaphore timeline = mine.createTimeline();
              for (int i = 0; i < 20; i++) {
                mine.queue().barrier(timeline.at(i), timeline.at(i + 1));
              }
              mine.queue().barrier(mine.createTimeline().at(1), timeline.at(21));
              first.markInterrupted("not needed");
              mine.await(timeline.at(21));
              return true;
            });
    Throwable thrown = Tasks.failure("the killed task", killed, opened);
    assertInstanceOf(TaskKilledException.class, thrown, thrown::toString);
    end(first);
    TaskDevice next =
        Tasks.get(
            "the next task",
            start(Tasks.of(RESOURCE, "mock://?delay=10ms"), HalTask::device),
            opened);
    assertEquals(0, next.queue().openOperations());
    assertEquals(0, next.device().statistics().liveResources());
  }

  @Test
  void anInterruptedWaitIsAKillOnlyIfTheTaskIsKilled() {
    open(1, "mock");
    TaskContextImpl task = task();
    TaskDevice mine = in(task, HalTask::device);
    TimelineSemaphore timeline = mine.createTimeline();
    Thread.currentThread().interrupt();
    HalException thrown = assertThrows(HalException.class, () -> mine.await(timeline.at(1)));
    assertEquals(Status.CANCELLED, thrown.status());
    assertTrue(Thread.currentThread().isInterrupted());
    task.markInterrupted("not needed");
    assertThrows(TaskKilledException.class, () -> mine.await(timeline.at(1)));
    assertTrue(Thread.interrupted());
    end(task);
  }

  @Test
  void losingTheDeviceEndsEveryWait() {
    open(1, "mock");
    TaskContextImpl task = task();
    TaskDevice mine = in(task, HalTask::device);
    TimelineSemaphore forNobody = mine.createTimeline();
    Tasks.lose(mine.device());
    HalException thrown = assertThrows(HalException.class, () -> mine.await(forNobody.at(1)));
    assertEquals(Status.UNAVAILABLE, thrown.status());
    end(task);
  }

  @Test
  void aFailedTaskDoesNotAffectOthers() throws Exception {
    open(2, "mock");
    TaskContextImpl bad = task();
    TaskContextImpl sound = task();
    TaskDevice one = in(bad, HalTask::device);
    TaskDevice other = in(sound, HalTask::device);
    TimelineSemaphore failing = one.createTimeline();
    TimelineSemaphore good = other.createTimeline();
    TimelineSemaphore go = other.createTimeline();
    other.queue().barrier(go.at(1), good.at(1));
    one.queue().barrier(failing.at(5), failing.at(6));
    failing.fail(new HalException(Status.ABORTED, "bad"));
    HalException thrown = assertThrows(HalException.class, () -> one.await(failing.at(6)));
    assertEquals(Status.ABORTED, thrown.status());
    end(bad);
    assertNull(good.failure());
    go.signal(1);
    other.await(good.at(1));
    assertTrue(good.tryAwait(1, Duration.ZERO));
    end(sound);
  }

  // Loss.

  @Test
  void aLostDeviceIsReportedOnceAndItsTasksFail() {
    TestExecutor opened = open(1, "mock://0?devices=2", "mock://1?devices=2");
    TaskContextImpl first = Tasks.of(RESOURCE, "mock://0?devices=2");
    TaskDevice mine = in(first, HalTask::device);
    TimelineSemaphore timeline = mine.createTimeline();
    mine.queue().barrier(timeline.at(1), timeline.at(2));
    Tasks.lose(mine.device());
    assertEquals(List.of(), opened.losses);
    end(first);
    assertEquals(1, opened.losses.size());
    assertEquals("cable pulled", opened.losses.get(0).getMessage());
    refused(Status.UNAVAILABLE, Tasks.of(RESOURCE, "mock://0?devices=2"), "cable pulled");
    refused(Status.UNAVAILABLE, Tasks.of(RESOURCE, "mock://0?devices=2"), "cable pulled");
    assertEquals(1, opened.losses.size());
    assertEquals(1, opened.counts.devicesLost());
    assertNull(take("mock://1?devices=2").device().lostCause());
  }

  /** Otherwise Spark would run it on the same executor at once, until its attempts are used up. */
  @Test
  void aTaskWithALostDeviceWaitsForTheEndOfTheExecutor() {
    TestExecutor opened = open(new TestExecutor(true, 1, "mock"));
    TaskContextImpl first = task();
    Tasks.lose(in(first, HalTask::device).device());
    TaskContextImpl second = task();
    CompletableFuture<TaskDevice> waits = start(second, HalTask::device);
    Tasks.await("the second task to find the loss", () -> opened.losses.size() == 1, opened);
    second.markInterrupted("not needed");
    Throwable thrown = Tasks.failure("the second task", waits, opened);
    assertInstanceOf(TaskKilledException.class, thrown, thrown::toString);
    end(first);
    assertEquals(1, opened.losses.size());
  }
}
