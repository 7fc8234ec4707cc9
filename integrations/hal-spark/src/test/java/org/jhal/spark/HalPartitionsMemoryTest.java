// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.jhal.spark.MappedPartition.HALVES;
import static org.jhal.spark.MappedPartition.checkHalves;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.mock.MockControls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of arrays when memory runs out. */
@Timeout(120)
class HalPartitionsMemoryTest {
  private static List<int[]> input() {
    List<int[]> input = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int from = 100 * i;
      input.add(IntStream.range(from, from + i % 97).toArray());
    }
    input.add(IntStream.range(7, 5000).toArray());
    return input;
  }

  /** Three batches of 16 KiB, with results of 32 KiB, do not fit. */
  @ParameterizedTest
  @ValueSource(strings = {"100k", "40k", "10k", "2500", "1k", "35"})
  void batchesShrinkUntilTheyFit(String memory) {
    try (MappedPartition partition = new MappedPartition("mock://0?memory=" + memory)) {
      List<int[]> input = input();
      checkHalves(input, partition.toList(HALVES.withBatchBytes(16 << 10), input), memory);
      assertTrue(partition.counts.halvings() > 0, memory);
      partition.awaitNothingLeft();
    }
  }

  /** Each allocation by the driver fails once, at any stage of the batches. */
  @ParameterizedTest
  @ValueSource(strings = {"allocate", "command", "execute"})
  void failedBatchesRunAgainInOrder(String call) {
    List<int[]> input = input();
    for (int nth = 1; nth <= 40; nth++) {
      try (MappedPartition partition = new MappedPartition("mock")) {
        MockControls.of(partition.device)
            .failNth(call, nth, new HalException(Status.RESOURCE_EXHAUSTED, "for a test"));
        String what = call + " " + nth;
        checkHalves(input, partition.toList(HALVES.withBatchBytes(4 << 10), input), what);
        partition.awaitNothingLeft();
      }
    }
  }

  /** Failures follow one another, even while earlier ones are handled. */
  @Test
  void completesAlthoughMemoryRunsOutRepeatedly() {
    List<int[]> input = input();
    try (MappedPartition partition = new MappedPartition("mock")) {
      MockControls controls = MockControls.of(partition.device);
      for (int nth = 5; nth < 60; nth += 9) {
        controls.failNth("execute", nth, new HalException(Status.RESOURCE_EXHAUSTED, "for a test"));
        controls.failNth(
            "command", nth + 4, new HalException(Status.RESOURCE_EXHAUSTED, "for a test"));
      }
      checkHalves(
          input, partition.toList(HALVES.withBatchBytes(8 << 10), input), "again and again");
      partition.awaitNothingLeft();
    }
  }

  /** The new limit does not depend on the size of the failed batch. */
  @Test
  void aFailedSmallBatchHalvesLargeBatches() {
    try (MappedPartition partition = new MappedPartition("mock")) {
      MockControls.of(partition.device)
          .failNth("allocate", 1, new HalException(Status.RESOURCE_EXHAUSTED, "for a test"));
      List<int[]> input = List.of(new int[] {1, 2, 3}, IntStream.range(0, 200_000).toArray());
      checkHalves(
          input, partition.toList(HALVES.withBatchBytes(64 << 10), input), "a short array first");
      assertTrue(partition.counts.batches() < 100, partition.counts.batches() + " batches");
    }
  }

  /** For example if Spark reads results on a separate thread, and the task is over before. */
  @Test
  void releasesEverythingIfTheTaskEndsDuringARead() {
    try (MappedPartition partition = new MappedPartition("mock")) {
      Iterator<int[]> input = input().iterator();
      Iterator<int[]> ending =
          new Iterator<>() {
            private int taken;

            @Override
            public boolean hasNext() {
              return input.hasNext();
            }

            @Override
            public int[] next() {
              if (taken++ == 3) {
                partition.end();
              }
              return input.next();
            }
          };
      Iterator<double[]> results = partition.map(HALVES, ending);
      assertEquals(0, results.next().length); // the reader was inside
      assertThrows(HalException.class, results::hasNext);
      partition.awaitNothingLeft();
    }
  }

  @Test
  void failsIfNoElementFits() {
    try (MappedPartition partition = new MappedPartition("mock://0?memory=11")) {
      Iterator<double[]> results = partition.map(HALVES, input().iterator());
      HalException e = assertThrows(HalException.class, results::next);
      assertEquals(Status.RESOURCE_EXHAUSTED, e.status());
      assertTrue(e.getMessage().startsWith("kernel scale_i32"), e::toString);
      partition.awaitNothingLeft();
    }
  }

  /** Another task of the device has most of the memory; then batches are as small as needed. */
  @Test
  void usesSmallBatchesBesideAnotherTask() {
    try (MappedPartition partition = new MappedPartition("mock://0?memory=1m");
        DeviceBuffer others = partition.device.allocate((1 << 20) - 5000, BufferParams.DEVICE)) {
      assertEquals((1 << 20) - 5000, others.size());
      checkHalves(input(), partition.toList(HALVES, input()), "beside another task");
    }
  }
}
