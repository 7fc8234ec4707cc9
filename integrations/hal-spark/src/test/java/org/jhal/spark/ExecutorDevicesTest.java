// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.Tasks.RESOURCE;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of an executor. */
@Timeout(100)
class ExecutorDevicesTest {
  private static final String BUSY = "mock://0?devices=2&close-timeout=60s";
  private static final String IDLE = "mock://1?devices=2";

  private final CountDownLatch isRunning = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void openGate() {
    mayEnd.countDown();
    TestKernels.gate = () -> {};
  }

  private void gate() {
    isRunning.countDown();
    try {
      if (!mayEnd.await(50, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the kernel waited for the test in vain");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("the kernel was interrupted", e);
    }
  }

  /** An executor with many devices would end late if they were closed one after the other. */
  @Test
  void aDeviceThatWorksDoesNotDelayTheCloseOfOthers() throws Exception {
    TestKernels.gate = this::gate;
    TestExecutor executor = new TestExecutor(1, BUSY, IDLE);
    Device idle = Tasks.in(Tasks.of(RESOURCE, IDLE), HalTask::device).device();
    HalPartitions<int[], int[]> gated =
        HalPartitions.arrays(MappedPartition.KERNELS, "gated", int[].class, int[].class);
    CompletableFuture<int[]> result =
        Tasks.start(
            Tasks.of(RESOURCE, BUSY),
            () -> {
              TaskDevice task = HalTask.device();
              Iterator<int[]> input = List.of(new int[] {1}).iterator();
              List<Runnable> ends = new ArrayList<>();
              try {
                return gated.map(input, () -> task, ends::add).next();
              } finally {
                ends.forEach(Runnable::run);
              }
            });
    Tasks.await(
        "the kernel to start", () -> isRunning.getCount() == 0 || result.isDone(), executor);
    assertFalse(result.isDone(), () -> "the kernel runs, but it did: " + result);
    CompletableFuture<Boolean> close =
        Tasks.start(
            "close",
            () -> {
              executor.close();
              return true;
            });
    Tasks.await("the idle device to be closed", idle::isClosed, executor);
    assertFalse(close.isDone(), "the device of the kernel is not closed yet");
    mayEnd.countDown();
    assertTrue(Tasks.get("the close of the executor", close, executor));
    var unused =
        result.handle((array, failure) -> true).get(Tasks.LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
