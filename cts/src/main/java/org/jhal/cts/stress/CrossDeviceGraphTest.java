// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random programs like those of {@link RandomGraphTest}, on three devices. Each device has a row of
 * numbers. Steps compute on one device, copy between two devices and, where devices can access each
 * other's memory, compute on one device with the memory of another one.
 */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CrossDeviceGraphTest {
  private static final int CELLS = 4; // of each device
  private static final int STEPS = 300;

  /** The devices of a program, with all cells as each of the devices accesses them. */
  private static final class Machine {
    final Cts cts;
    final Device[] devices;
    final DeviceBuffer[] rows; // each on its own device
    final DeviceBuffer[][] seen; // by the accessing device and the owner; null without access

    Machine(Cts cts, Device[] devices, int[] values) {
      this.cts = cts;
      this.devices = devices;
      rows = new DeviceBuffer[devices.length];
      seen = new DeviceBuffer[devices.length][devices.length];
      for (int i = 0; i < devices.length; i++) {
        rows[i] = cts.buffer(devices[i], 4 * CELLS, BufferParams.DEVICE);
        cts.write(
            rows[i], 0, TestData.ints(Arrays.copyOfRange(values, i * CELLS, (i + 1) * CELLS)));
      }
      for (int i = 0; i < devices.length; i++) {
        for (int j = 0; j < devices.length; j++) {
          if (i == j) {
            seen[i][j] = rows[j];
          } else if (devices[i].canAccess(devices[j])) {
            seen[i][j] = cts.closing(devices[i].allocator().importPeer(rows[j]));
          }
        }
      }
    }

    /** A cell, as its own device accesses it. */
    DeviceBuffer cell(int index) {
      return rows[index / CELLS].slice(4L * (index % CELLS), 4);
    }

    /** A cell, as another device accesses it that can. */
    DeviceBuffer cell(int device, int index) {
      return seen[device][index / CELLS].slice(4L * (index % CELLS), 4);
    }

    boolean canAccess(int device, int index) {
      return seen[device][index / CELLS] != null;
    }

    Kernel kernel(int device, String name) {
      return cts.kernel(devices[device], name);
    }

    DeviceQueue queue(int device, Random random) {
      return devices[device].queue(random.nextInt(devices[device].queueCount()));
    }

    int[] values() {
      int[] values = new int[devices.length * CELLS];
      for (int i = 0; i < devices.length; i++) {
        int[] row = TestData.toInts(cts.read(rows[i]));
        System.arraycopy(row, 0, values, i * CELLS, CELLS);
      }
      return values;
    }
  }

  /** One operation: reads {@code from} and writes {@code to}, which may be on different devices. */
  private record Step(int kind, int from, int to, int a, int b) {
    private static final int KINDS = 5;

    static Step random(Random random, int cells) {
      int to = random.nextInt(cells);
      int from = (to + 1 + random.nextInt(cells - 1)) % cells;
      return new Step(
          random.nextInt(KINDS), from, to, random.nextInt(9) - 4, random.nextInt(1_000));
    }

    /** This step, or a copy if the target's device would need to access the source and cannot. */
    Step on(Machine machine) {
      boolean isPossible = kind != 0 && kind != 4 || machine.canAccess(to / CELLS, from);
      return isPossible ? this : new Step(2, from, to, a, b);
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

    void enqueue(Machine machine, Random random, Fence waits, Fence signals) {
      int there = to / CELLS;
      int either = random.nextBoolean() ? from / CELLS : there;
      Workgroups one = Workgroups.of(1);
      switch (kind) {
        case 0 ->
            machine
                .queue(there, random)
                .dispatch(
                    waits,
                    signals,
                    machine.kernel(there, "scale_and_offset"),
                    one,
                    Args.of(machine.cell(there, from), machine.cell(to), a, b));
        case 1 ->
            machine
                .queue(there, random)
                .fill(waits, signals, machine.cell(to), 0, 4, FillPattern.of32(b));
        case 2 ->
            machine
                .queue(either, random)
                .copy(waits, signals, machine.cell(from), 0, machine.cell(to), 0, 4);
        case 3 -> throughTheHost(machine, random, waits, signals);
        default -> {
          // The source's device computes if it can write to the target; otherwise, the target's
          // does.
          int here = machine.canAccess(from / CELLS, to) ? from / CELLS : there;
          machine
              .queue(here, random)
              .dispatch(
                  waits,
                  signals,
                  machine.kernel(here, "negate"),
                  one,
                  Args.of(machine.cell(here, from), machine.cell(here, to)));
        }
      }
    }

    private void throughTheHost(Machine machine, Random random, Fence waits, Fence signals) {
      ByteBuffer read = ByteBuffer.allocate(4);
      ByteBuffer written = ByteBuffer.allocate(4);
      TimelineSemaphore own = machine.cts.semaphore();
      int third = random.nextInt(machine.devices.length);
      machine.queue(from / CELLS, random).readback(waits, own.at(1), machine.cell(from), 0, read);
      machine
          .queue(third, random)
          .hostCall(
              own.at(1), own.at(2), HostCall.Mode.BLOCKING, call -> written.put(0, read, 0, 4));
      machine.queue(to / CELLS, random).upload(own.at(2), signals, written, machine.cell(to), 0);
    }
  }

  @RepeatedTest(8)
  @Rule({"S9a", "S9b", "Q9", "S5"})
  void randomProgramsOnSeveralDevicesMatchASequentialRun(Cts cts) {
    run(cts, false, cts.device(), cts.second(), cts.open());
  }

  @RepeatedTest(8)
  @Rule({"S9a", "S9b", "Q9", "S5", "Q1"})
  void randomProgramsOnSeveralDevicesMayBeEnqueuedInAnyOrder(Cts cts) {
    run(cts, true, cts.device(), cts.second(), cts.open("inflight=4"));
  }

  private static void run(Cts cts, boolean isShuffled, Device... devices) {
    Random random = cts.random();
    int cells = devices.length * CELLS;
    int[] expected = new int[cells];
    for (int i = 0; i < cells; i++) {
      expected[i] = random.nextInt(100);
    }
    Machine machine = new Machine(cts, devices, expected);
    Dependencies dependencies = new Dependencies(cells);
    List<Runnable> calls = new ArrayList<>();
    List<Timepoint> ends = new ArrayList<>();
    TimelineSemaphore shared = cts.semaphore();
    for (int i = 0; i < STEPS; i++) {
      Step step = Step.random(random, cells).on(machine);
      step.apply(expected);
      Device owner = devices[random.nextInt(devices.length)];
      Timepoint done = cts.semaphore(owner, 0).at(1 + random.nextInt(3));
      Fence waits = dependencies.add(step.from, step.to, done);
      Fence gated = random.nextInt(10) == 0 ? waits.and(shared.at(1)) : waits;
      calls.add(() -> step.enqueue(machine, random, gated, done));
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
    assertArrayEquals(expected, machine.values());
  }
}
