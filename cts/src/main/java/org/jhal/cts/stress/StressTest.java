// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.LIMIT;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;

/** Many threads and many objects at the same time. */
@CtsSuite(deadlineSeconds = 300)
class StressTest {
  @Test
  @Rule({"Q1", "Q10"})
  void severalThreadsMaySubmitToTheSameQueues(Cts cts) throws Exception {
    int threads = 4;
    int each = 1_000;
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Task<?>> submitters = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int thread = t;
      submitters.add(
          Task.run(
              "submitter",
              () -> {
                DeviceBuffer buffer = cts.buffer(64);
                TimelineSemaphore timeline = cts.semaphore();
                start.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                for (int i = 0; i < each; i++) {
                  DeviceQueue queue = cts.queue((thread + i) % cts.device().queueCount());
                  FillPattern pattern = FillPattern.of32(thread * each + i);
                  queue.fill(timeline.at(i), timeline.at(i + 1), buffer, 0, 64, pattern);
                }
                awaitReached(timeline, each);
                int last = thread * each + each - 1;
                int[] expected = TestData.toInts(TestData.ints(16, n -> last));
                assertArrayEquals(expected, TestData.toInts(cts.read(buffer)));
              }));
    }
    for (Task<?> submitter : submitters) {
      submitter.join();
    }
  }

  @Test
  @Rule({"S5", "Q1"})
  void twoThreadsEnqueueAlternatingWork(Cts cts) throws Exception {
    int count = 3_000;
    TimelineSemaphore odd = cts.semaphore();
    TimelineSemaphore even = cts.semaphore();
    Task<?> consumer =
        Task.run(
            "consumer",
            () -> {
              for (int i = 1; i <= count; i++) {
                cts.queue(cts.device().queueCount() - 1).barrier(odd.at(i), even.at(i));
              }
            });
    for (int i = 1; i <= count; i++) {
      cts.queue(0).barrier(even.at(i - 1), odd.at(i));
    }
    consumer.join();
    awaitReached(even, count);
    assertEquals(count, odd.value());
  }

  @Test
  @Rule({"S3", "Q6", "Q10"})
  void failuresRaceWithSignalsAndSubmissions(Cts cts) throws Exception {
    for (int round = 0; round < 300; round++) {
      TimelineSemaphore go = cts.device().createSemaphore(0);
      TimelineSemaphore done = cts.device().createSemaphore(0);
      CyclicBarrier start = new CyclicBarrier(3);
      Task<?> failing =
          Task.run(
              "failing",
              () -> {
                start.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                go.fail(new HalException(Status.ABORTED, "raced"));
              });
      Task<?> submitter =
          Task.run(
              "submitter",
              () -> {
                start.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                cts.queue().barrier(go.at(1), done.at(1));
              });
      start.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
      boolean signalled = true;
      try {
        go.signal(1);
      } catch (HalException e) {
        assertHal(Status.ABORTED, e, "raced");
        signalled = false;
      }
      failing.join();
      submitter.join();
      try {
        done.await(1, LIMIT);
        assertEquals(true, signalled, "reached, though its wait never was");
      } catch (HalException e) {
        assertHal(Status.ABORTED, e, "raced");
      }
      go.close();
      done.close();
    }
  }

  @Test
  @Rule("S8")
  void semaphoresMayBeClosedWithOperationsThatUseThem(Cts cts) throws Exception {
    List<Task<?>> users = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      users.add(
          Task.run(
              "user",
              () -> {
                Device device = cts.device();
                for (int i = 0; i < 1_000; i++) {
                  try (TimelineSemaphore first = device.createSemaphore(0);
                      TimelineSemaphore second = device.createSemaphore(0)) {
                    device.queue(i % device.queueCount()).barrier(first.at(1), second.at(1));
                    first.onReach(1, failure -> {});
                    if (i % 4 != 0) {
                      first.signal(1);
                    }
                    if (i % 4 == 1) {
                      second.await(1, LIMIT);
                    }
                  }
                }
              }));
    }
    for (Task<?> user : users) {
      user.join();
    }
  }

  @Test
  @Rule({"Q3", "M7"})
  void buffersMayBeClosedWhileInUse(Cts cts) throws Exception {
    Device device = cts.device();
    TimelineSemaphore go = cts.semaphore();
    List<Task<?>> users = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      int thread = t;
      users.add(
          Task.run(
              "user",
              () -> {
                Random random = new Random(thread);
                for (int i = 0; i < 500; i++) {
                  Fence wait = random.nextBoolean() ? go.at(1) : Fence.NONE;
                  try (DeviceBuffer a = device.allocate(128, BufferParams.DEVICE);
                      DeviceBuffer b = device.allocate(128, BufferParams.DEVICE)) {
                    DeviceQueue queue = device.queue(i % device.queueCount());
                    queue.fill(wait, Fence.NONE, a, 0, 64, FillPattern.ZERO);
                    queue.copy(wait, Fence.NONE, a, 64, b, 64, 64);
                  }
                }
              }));
    }
    for (Task<?> user : users) {
      user.join();
    }
    go.signal(1);
    cts.awaitIdle();
  }
}
