// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jhal.Args;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random programs: operations on a row of numbers, ordered only by the timelines that their reads
 * and writes require, on random queues, and enqueued in order or in random order. The result must
 * be what one thread computes.
 */
@CtsSuite
class RandomGraphTest {
  private static final int CELLS = 6;
  private static final int STEPS = 250;

  /** One operation: reads {@code from} and writes {@code to}. */
  private record Step(int kind, int from, int to, int a, int b) {
    private static final int KINDS = 5;

    static Step random(Random random) {
      int to = random.nextInt(CELLS);
      int from = (to + 1 + random.nextInt(CELLS - 1)) % CELLS;
      return new Step(
          random.nextInt(KINDS), from, to, random.nextInt(9) - 4, random.nextInt(1_000));
    }

    /** Applies the step to the numbers. */
    void apply(int[] cells) {
      switch (kind) {
        case 0 -> cells[to] = cells[from] * a + b;
        case 1 -> cells[to] = b;
        case 2, 3 -> cells[to] = cells[from];
        default -> cells[to] = -cells[from];
      }
    }

    /** Enqueues the step on a device, whose cells are slices of four bytes. */
    void enqueue(Cts cts, DeviceQueue queue, DeviceBuffer[] cells, Fence waits, Fence signals) {
      Workgroups one = Workgroups.of(1);
      switch (kind) {
        case 0 ->
            queue.dispatch(
                waits,
                signals,
                cts.kernel("scale_and_offset"),
                one,
                Args.of(cells[from], cells[to], a, b));
        case 1 -> queue.fill(waits, signals, cells[to], 0, 4, FillPattern.of32(b));
        case 2 -> queue.copy(waits, signals, cells[from], 0, cells[to], 0, 4);
        case 3 -> throughTheHost(cts, queue, cells, waits, signals);
        default ->
            queue.dispatch(
                waits, signals, cts.kernel("negate"), one, Args.of(cells[from], cells[to]));
      }
    }

    private void throughTheHost(
        Cts cts, DeviceQueue queue, DeviceBuffer[] cells, Fence waits, Fence signals) {
      ByteBuffer read = ByteBuffer.allocate(4);
      ByteBuffer written = ByteBuffer.allocate(4);
      TimelineSemaphore own = cts.semaphore();
      queue.readback(waits, own.at(1), cells[from], 0, read);
      queue.hostCall(
          own.at(1), own.at(2), HostCall.Mode.BLOCKING, context -> written.put(0, read, 0, 4));
      queue.upload(own.at(2), signals, written, cells[to], 0);
    }
  }

  @RepeatedTest(8)
  @Rule({"Q5", "Q9", "S5"})
  void randomProgramsMatchASequentialRun(Cts cts) {
    run(cts, false);
  }

  @RepeatedTest(4)
  @Rule({"Q5", "Q9", "S5", "Q1"})
  void randomProgramsMayBeEnqueuedInAnyOrder(Cts cts) {
    run(cts, true);
  }

  private static void run(Cts cts, boolean isShuffled) {
    Random random = cts.random();
    int[] expected = new int[CELLS];
    for (int i = 0; i < CELLS; i++) {
      expected[i] = random.nextInt(100);
    }
    DeviceBuffer all = cts.buffer(TestData.ints(expected));
    DeviceBuffer[] cells = new DeviceBuffer[CELLS];
    for (int i = 0; i < CELLS; i++) {
      cells[i] = all.slice(4L * i, 4);
    }
    Dependencies dependencies = new Dependencies(CELLS);
    List<Runnable> calls = new ArrayList<>();
    List<Timepoint> ends = new ArrayList<>();
    TimelineSemaphore shared = cts.semaphore();
    for (int i = 0; i < STEPS; i++) {
      Step step = Step.random(random);
      step.apply(expected);
      Timepoint done = cts.semaphore().at(1 + random.nextInt(3));
      Fence waits = dependencies.add(step.from, step.to, done);
      Fence gated = random.nextInt(10) == 0 ? waits.and(shared.at(1)) : waits;
      DeviceQueue queue = cts.queue(random.nextInt(cts.device().queueCount()));
      calls.add(() -> step.enqueue(cts, queue, cells, gated, done));
      ends.add(done);
    }
    if (isShuffled) {
      Collections.shuffle(calls, random);
    }
    int opening = random.nextInt(STEPS);
    for (int i = 0; i < STEPS; i++) {
      if (i == opening) {
        shared.signal(1);
      }
      calls.get(i).run();
    }
    awaitReached(Fence.of(ends));
    assertArrayEquals(expected, TestData.toInts(cts.read(all)));
  }
}
