// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.jhal.Device;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Many tasks that succeed, fail and are killed at any time share a few queues. */
class PermitStressTest {
  private static final int THREADS = 12;
  private static final int TASKS = 40; // of each thread
  private static final String ADDRESS = "mock://?delay=20us";

  private final Map<Integer, String> holders = new ConcurrentHashMap<>(); // by index of the queue

  @RepeatedTest(3)
  void lendsEachQueueToOneTaskAndGetsAllBack(RepetitionInfo repetition) {
    try (TestExecutor executor = new TestExecutor(3, ADDRESS)) {
      run(executor, repetition);
    }
  }

  private void run(TestExecutor executor, RepetitionInfo repetition) {
    TaskContextImpl first = Tasks.of(RESOURCE, ADDRESS);
    Device device = Tasks.in(first, HalTask::device).device();
    Tasks.end(first);

    List<CompletableFuture<Integer>> threads =
        IntStream.range(0, THREADS)
            .mapToObj(i -> start(new Random(100L * repetition.getCurrentRepetition() + i)))
            .toList();
    for (CompletableFuture<Integer> thread : threads) {
      assertEquals(TASKS, Tasks.get("a thread", thread, executor));
    }
    executor.await("all queues to come back", "3 of 3 queues");
    DeviceStatistics after = device.statistics();
    assertEquals(0, after.openOperations(), after::toString);
    assertEquals(0, after.liveResources(), after::toString);
  }

  private CompletableFuture<Integer> start(Random random) {
    return Tasks.start(
        "tasks",
        () -> {
          for (int i = 0; i < TASKS; i++) {
            run(random);
          }
          return TASKS;
        });
  }

  private void run(Random random) {
    TaskContextImpl task = Tasks.of(RESOURCE, ADDRESS);
    if (random.nextInt(3) == 0) {
      new Thread(() -> task.markInterrupted("by chance"), "killer").start();
    }
    try {
      Tasks.in(
          task,
          () -> {
            work(HalTask.device(), random);
            return true;
          });
    } catch (TaskKilledException e) {
      // it waited for a queue, or for its work
    } catch (HalException e) {
      if (e.status() != Status.ABORTED) {
        throw e;
      }
    } finally {
      Tasks.end(task);
    }
  }

  private void work(TaskDevice task, Random random) {
    int queue = task.queue().index();
    assertNull(holders.put(queue, task.toString()), () -> "a second task on queue " + queue);
    assertEquals(0, task.queue().openOperations(), "operations of the task before");
    try {
      TimelineSemaphore timeline = task.createTimeline();
      int steps = random.nextInt(5);
      for (int i = 0; i < steps; i++) {
        task.queue().barrier(i == 0 ? Fence.NONE : timeline.at(i), timeline.at(i + 1));
      }
      switch (random.nextInt(4)) {
        case 0 -> task.await(timeline.at(steps));
        case 1 -> throw new HalException(Status.ABORTED, "the task fails");
        case 2 -> task.queue().barrier(timeline.at(100), timeline.at(101)); // never signalled
        default -> timeline.close();
      }
    } finally {
      holders.remove(queue);
    }
  }
}
