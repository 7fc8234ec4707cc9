// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.MappedPartition.HALVES;
import static org.jhal.spark.MappedPartition.checkHalves;
import static org.jhal.spark.Tasks.RESOURCE;
import static org.jhal.spark.Tasks.end;
import static org.jhal.spark.Tasks.in;
import static org.jhal.spark.Tasks.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mappings of several tasks on one device, whose memory is too little for all. */
@Timeout(120)
class MemoryLineTest {
  private static final int MEMORY = 1200; // 100 ints and their doubles
  private static final String ADDRESS = "mock://0?memory=" + MEMORY;
  private static final List<int[]> INPUT =
      IntStream.range(0, 10).mapToObj(i -> IntStream.range(i, 25 * i).toArray()).toList();

  @SuppressWarnings("UnusedVariable") // JUnit closes it
  @AutoClose
  private @Nullable TestExecutor executor;

  private TestExecutor open(int concurrentTasks) {
    TestExecutor opened = new TestExecutor(concurrentTasks, ADDRESS);
    executor = opened;
    return opened;
  }

  private static TaskContextImpl task() {
    return Tasks.of(RESOURCE, ADDRESS);
  }

  private static DeviceBuffer hold(TaskContextImpl task, int bytes) {
    return in(task, () -> HalTask.device().device().allocate(bytes, BufferParams.DEVICE));
  }

  /** Begins to map a partition as {@code task}, which does not end with it. */
  private static CompletableFuture<List<double[]>> map(TaskContextImpl task) {
    return start(
        task,
        () -> {
          Iterator<double[]> results = HALVES.call(INPUT.iterator());
          List<double[]> all = new ArrayList<>();
          results.forEachRemaining(all::add);
          return all;
        });
  }

  private static void awaitWaiting(int count, TestExecutor opened) {
    opened.await(count + " mappings to wait", count + " waiting for memory");
  }

  private static void assertExhausted(Throwable thrown) {
    HalException failure = assertInstanceOf(HalException.class, thrown, thrown::toString);
    assertEquals(Status.RESOURCE_EXHAUSTED, failure.status(), failure::toString);
  }

  /** Some memory is freed while the other task goes on. */
  @Test
  void waitsForMemoryThatAnotherTaskHolds() {
    TestExecutor opened = open(2);
    DeviceBuffer all = hold(task(), MEMORY);
    CompletableFuture<List<double[]>> mapped = map(task());
    awaitWaiting(1, opened);
    all.close();
    checkHalves(INPUT, Tasks.get("the mapping", mapped, opened), "the mapping");
    int elements = INPUT.stream().mapToInt(array -> array.length).sum();
    long batches = opened.counts.batches();
    assertTrue(batches < elements / 5, () -> batches + " batches of " + elements + " elements");
  }

  @Test
  void aKillEndsTheWaitForMemory() {
    TestExecutor opened = open(2);
    TaskContextImpl first = task();
    DeviceBuffer all = hold(first, MEMORY);
    TaskContextImpl second = task();
    CompletableFuture<List<double[]>> killed = map(second);
    awaitWaiting(1, opened);
    second.markInterrupted("not needed");
    Throwable thrown = Tasks.failure("the killed mapping", killed, opened);
    assertInstanceOf(TaskKilledException.class, thrown, thrown::toString);
    end(second);
    CompletableFuture<List<double[]>> next = map(task());
    awaitWaiting(1, opened); // the killed one has left the line
    all.close();
    checkHalves(INPUT, Tasks.get("the next mapping", next, opened), "the next mapping");
  }

  /** Each holds memory besides its mapping, for example if a task maps the results of a mapping. */
  @Test
  void oneMappingFailsIfAllWait() {
    TestExecutor opened = open(2);
    TaskContextImpl first = task();
    TaskContextImpl second = task();
    DeviceBuffer half = hold(first, MEMORY / 2);
    DeviceBuffer otherHalf = hold(second, MEMORY / 2);
    CompletableFuture<List<double[]>> gone = map(first);
    awaitWaiting(1, opened);
    CompletableFuture<List<double[]>> mapped = map(second);
    assertExhausted(Tasks.failure("the first mapping", gone, opened));
    awaitWaiting(1, opened);
    half.close();
    end(first);
    checkHalves(INPUT, Tasks.get("the second mapping", mapped, opened), "the second mapping");
    otherHalf.close();
  }

  @Test
  void aTaskThatHoldsAllMemoryItselfFailsAtOnce() {
    TestExecutor opened = open(2);
    TaskContextImpl only = task();
    try (DeviceBuffer all = hold(only, MEMORY)) {
      assertEquals(MEMORY, all.size());
      assertExhausted(Tasks.failure("the mapping", map(only), opened));
    }
  }

  @Test
  void failsAfterTheLimitIfTheOtherTaskDoesNotEnd() {
    try (Device device = Hal.openDevice("mock://?queues=2")) {
      Counts counts = new Counts();
      MemoryLine line = new MemoryLine(Duration.ofMillis(1));
      line.begin(new TaskDevice("other", device.queue(0), () -> false, counts, line));
      TaskDevice mine = new TaskDevice("mine", device.queue(1), () -> false, counts, line);
      line.begin(mine);
      MemoryLine.Place place = line.join(mine);
      assertTrue(line.await(place), "the first time it tries at once");
      long began = System.nanoTime();
      int tries = 0;
      while (line.await(place)) {
        tries++;
        assertTrue(System.nanoTime() - began < Tasks.LIMIT.toNanos(), tries + " tries");
      }
      line.leave(place);
      assertEquals(0, line.length());
    }
  }

  /** There is room for one element of one mapping, so concurrent attempts fail. */
  @RepeatedTest(5)
  void manyMappingsCompleteWithMemoryForOneElement() {
    TestExecutor opened = open(4);
    TaskContextImpl holder = task();
    DeviceBuffer most = hold(holder, MEMORY - 12);
    end(holder);
    List<TaskContextImpl> tasks = IntStream.range(0, 6).mapToObj(i -> task()).toList();
    List<CompletableFuture<Void>> all =
        tasks.stream()
            .map(
                task ->
                    map(task)
                        .thenAccept(results -> checkHalves(INPUT, results, "a mapping"))
                        .whenComplete((done, failure) -> end(task)))
            .toList();
    for (CompletableFuture<Void> one : all) {
      Void unused = Tasks.get("a mapping", one, opened);
    }
    most.close();
  }
}
