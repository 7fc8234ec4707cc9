// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random programs of which each wait in turn is left out. A program without a wait that matters
 * must be reported, and no other one (rule M3a). A wait matters if two steps that touch the same
 * bytes, one of them writing, are then without a path of waits from one to the other.
 */
@CtsSuite
@FreshDevice("validate=hazards,fail")
class MissingWaitTest {
  private static final int CELLS = 5; // of each device
  private static final int STEPS = 24;

  /** Reads {@code from} and writes {@code to}. */
  private record Step(int kind, int from, int to) {
    static Step random(Random random, int cells) {
      int to = random.nextInt(cells);
      int from = (to + 1 + random.nextInt(cells - 1)) % cells;
      return new Step(random.nextInt(3), from, to);
    }

    boolean reads() {
      return kind > 0;
    }

    boolean conflictsWith(Step other) {
      return to == other.to || (reads() && from == other.to) || (other.reads() && other.from == to);
    }

    void record(Cts cts, CommandBuffer commands, DeviceBuffer row) {
      DeviceBuffer target = row.slice(8L * to, 8);
      DeviceBuffer source = row.slice(8L * from, 8);
      if (!reads()) {
        commands.fill(target, 0, 8, FillPattern.of32(kind));
      } else if (kind == 1) {
        commands.copy(source, 0, target, 0, 8);
      } else {
        commands.dispatch(cts.kernel("negate"), Workgroups.of(2), Args.of(source, target));
      }
    }

    void enqueue(
        Cts cts, Device[] devices, DeviceBuffer[] rows, int queue, Fence waits, Fence done) {
      Device device = devices[to / CELLS];
      DeviceQueue on = device.queue(queue % device.queueCount());
      DeviceBuffer target = rows[to / CELLS].slice(8L * (to % CELLS), 8);
      DeviceBuffer source = rows[from / CELLS].slice(8L * (from % CELLS), 8);
      if (!reads()) {
        on.fill(waits, done, target, 0, 8, FillPattern.of32(kind));
      } else if (kind == 1 || source.device() != device) {
        on.copy(waits, done, source, 0, target, 0, 8);
      } else {
        on.dispatch(
            waits, done, cts.kernel(device, "negate"), Workgroups.of(2), Args.of(source, target));
      }
    }
  }

  @RepeatedTest(3)
  @Rule("M3a")
  void eachWaitThatMattersIsMissed(Cts cts) {
    run(cts, false, cts.device());
  }

  @RepeatedTest(3)
  @Rule("M3a")
  void eachWaitThatMattersIsMissedInAnyOrderOfTheCalls(Cts cts) {
    run(cts, true, cts.device());
  }

  @RepeatedTest(2)
  @Rule("M3a")
  @Needs(Need.SECOND_DEVICE)
  void eachWaitThatMattersIsMissedBetweenDevices(Cts cts) {
    run(cts, true, cts.device(), cts.open("validate=hazards,fail"));
  }

  /** The same with recordings: steps between the same two barriers have no order. */
  @RepeatedTest(3)
  @Rule("M3a")
  void eachBarrierThatMattersIsMissed(Cts cts) {
    Random random = cts.random();
    DeviceBuffer row = cts.buffer(new byte[8 * CELLS]);
    int hazards = 0;
    for (int time = 0; time < 50; time++) {
      List<Step> steps = new ArrayList<>();
      List<Integer> sections = new ArrayList<>();
      TimelineSemaphore done = cts.semaphore();
      boolean isHazard = false;
      try (CommandBuffer commands = cts.device().createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
        int section = 0;
        for (int i = 0; i < 6; i++) {
          if (random.nextInt(3) > 0) {
            commands.barrier();
            section++;
          }
          Step step = Step.random(random, CELLS);
          for (int j = 0; j < i; j++) {
            isHazard |= sections.get(j) == section && step.conflictsWith(steps.get(j));
          }
          steps.add(step);
          sections.add(section);
          step.record(cts, commands, row);
        }
        commands.end();
        cts.queue().execute(Fence.NONE, done.at(1), commands);
      }
      hazards += isHazard ? 1 : 0;
      Waits.awaitTrue(done + " to end", () -> Waits.isOver(done, 1));
      assertEquals(isHazard, done.failure() != null, steps + " in sections " + sections);
      Waits.awaitRetired(cts.device());
    }
    assertTrue(hazards > 0, "no barrier matters");
  }

  private static void run(Cts cts, boolean isShuffled, Device... devices) {
    Random random = cts.random();
    int cells = CELLS * devices.length;
    List<Step> steps = new ArrayList<>();
    List<List<Integer>> waits = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      Step step = Step.random(random, cells);
      List<Integer> needed = new ArrayList<>();
      for (int j = 0; j < i; j++) {
        if (step.conflictsWith(steps.get(j))) {
          needed.add(j);
        }
      }
      steps.add(step);
      waits.add(needed);
    }
    DeviceBuffer[] rows = new DeviceBuffer[devices.length];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = cts.buffer(devices[i], new byte[8 * CELLS]);
    }
    int mattering = 0;
    for (int step = 0; step < STEPS; step++) {
      for (int left = step == 0 ? -1 : 0; // the first one is left whole
          left < waits.get(step).size();
          left++) {
        List<List<Integer>> fewer = new ArrayList<>(waits);
        if (left >= 0) {
          List<Integer> kept = new ArrayList<>(waits.get(step));
          kept.remove(left);
          fewer.set(step, kept);
        }
        boolean isHazard = hasHazard(steps, fewer);
        mattering += isHazard ? 1 : 0;
        String what = "step " + step + " without wait " + left + ": " + steps + ", waits " + fewer;
        assertEquals(isHazard, isReported(cts, devices, rows, steps, fewer, isShuffled), what);
      }
    }
    assertTrue(mattering > 0, "no wait matters");
  }

  /** The sequential model: whether two steps conflict without a path of waits. */
  private static boolean hasHazard(List<Step> steps, List<List<Integer>> waits) {
    List<BitSet> before = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      BitSet all = new BitSet();
      for (int wait : waits.get(i)) {
        all.set(wait);
        all.or(before.get(wait));
      }
      for (int j = 0; j < i; j++) {
        if (!all.get(j) && steps.get(i).conflictsWith(steps.get(j))) {
          return true;
        }
      }
      before.add(all);
    }
    return false;
  }

  /** Runs the program; returns whether an operation has failed by a hazard. */
  private static boolean isReported(
      Cts cts,
      Device[] devices,
      DeviceBuffer[] rows,
      List<Step> steps,
      List<List<Integer>> waits,
      boolean isShuffled) {
    Random random = cts.random();
    List<Timepoint> done = new ArrayList<>();
    List<Runnable> calls = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      done.add(cts.semaphore().at(1 + random.nextInt(3)));
      Fence needed = Fence.of(waits.get(i).stream().map(done::get).toList());
      Fence signal = Fence.of(done.get(i));
      int queue = random.nextInt(16);
      calls.add(() -> step.enqueue(cts, devices, rows, queue, needed, signal));
    }
    if (isShuffled) {
      Collections.shuffle(calls, random);
    }
    calls.forEach(Runnable::run);
    boolean isReported = false;
    for (Timepoint end : done) {
      Waits.awaitTrue(end + " to end", () -> Waits.isOver(end.semaphore(), end.value()));
      HalException failure = end.semaphore().failure();
      if (failure != null) {
        assertEquals(Status.ABORTED, failure.status(), failure::toString);
        isReported = true;
      }
    }
    for (Device device : devices) {
      Waits.awaitRetired(device);
    }
    for (Timepoint end : done) {
      end.semaphore().close();
    }
    return isReported;
  }
}
