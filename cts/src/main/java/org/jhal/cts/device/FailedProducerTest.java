// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitStatistics;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.Workgroups;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Work that fails while the device runs it, and work issued after it, which the host often sees end
 * first (rules Q6, Q7a and Q9). A driver or an engine that takes the end of later work for a proof
 * of success would raise the signals of failed work.
 */
@CtsSuite(deadlineSeconds = 120)
class FailedProducerTest {
  private static final int PRODUCERS = 3;
  private static final int PART = 16; // how many bytes each producer writes

  /** Where the consumers run. The producers run on the first queue of the first device. */
  enum Place {
    SAME_QUEUE,
    /** The last queue, if there are several. */
    OTHER_QUEUE,
    OTHER_DEVICE
  }

  /** The form of the producers. */
  enum Form {
    COMMAND,
    RECORDING,
    REUSABLE_RECORDING
  }

  static Stream<Arguments> cases() {
    return Stream.of(Place.values())
        .flatMap(
            place ->
                Stream.of(Form.values())
                    .flatMap(
                        form ->
                            Culprits.positions(PRODUCERS)
                                .map(culprits -> Arguments.of(place, form, culprits))));
  }

  /** Held producers and their consumers, all of which are issued. */
  private static final class Scene {
    private final Cts cts;
    final Device here;
    final Device there;
    private final DeviceQueue producing;
    private final DeviceQueue consuming;
    final Blocker blocker;
    final DeviceBuffer buffer; // one part for each producer, between guards
    final List<TimelineSemaphore> produced = new ArrayList<>();
    final List<TimelineSemaphore> consumed = new ArrayList<>(); // each waits for one producer
    final TimelineSemaphore all; // waits for all producers
    final TimelineSemaphore last; // waits for `all`
    final TimelineSemaphore read; // a readback that waits for all producers
    final TimelineSemaphore free; // waits for no producer
    final byte[] target = TestData.filled(3 * PART, TestData.GUARD);
    final HostMemory host = HostMemory.of(target, PART, PART);
    private final DeviceBuffer source;
    private final long issuedHere; // before the producers
    private final long issuedThere;

    Scene(Cts cts, Place place) {
      this.cts = cts;
      this.here = cts.open("inflight=64");
      this.producing = here.queue(0);
      this.there = place == Place.OTHER_DEVICE ? cts.openSecond("inflight=64") : here;
      this.consuming =
          switch (place) {
            case SAME_QUEUE -> producing;
            case OTHER_QUEUE -> here.queue(here.queueCount() - 1);
            case OTHER_DEVICE -> there.queue(0);
          };
      if (place == Place.OTHER_DEVICE && !cts.backend().sharesEvents()) {
        throw Cts.unsupported(Need.SHARED_EVENTS.absence());
      }
      this.buffer = cts.buffer(here, PART * (PRODUCERS + 2), BufferParams.DEVICE);
      cts.write(buffer, 0, guarded());
      this.source = cts.buffer(there, PART, BufferParams.DEVICE);
      this.all = cts.semaphore(there, 0);
      this.last = cts.semaphore(here, 0);
      this.read = cts.semaphore(there, 0);
      this.free = cts.semaphore(there, 0);
      this.blocker = new Blocker(cts, producing);
      this.issuedHere = here.statistics().issued();
      this.issuedThere = there.statistics().issued();
    }

    /** Enqueues a producer that fills its part. */
    void produce(Form form) {
      long at = part(produced.size());
      FillPattern pattern = FillPattern.of8(1 + produced.size());
      Timepoint end = next();
      if (form == Form.COMMAND) {
        producing.fill(blocker.timepoint(), end, buffer, at, PART, pattern);
        return;
      }
      CommandBuffer commands = cts.closing(here.createCommandBuffer(mode(form)));
      commands.fill(buffer, at, PART, pattern);
      commands.end();
      producing.execute(blocker.timepoint(), end, commands);
      commands.close();
    }

    /** Enqueues a producer whose kernel gives up. */
    void giveUp() {
      producing.dispatch(
          blocker.timepoint(),
          next(),
          cts.kernel(here, "trap"),
          Workgroups.of(1),
          Args.of(1 + produced.size()));
    }

    private Timepoint next() {
      TimelineSemaphore end = cts.semaphore(here, 0);
      produced.add(end);
      return end.at(1);
    }

    /** Enqueues the consumers, and waits until all work is issued. */
    void consume() {
      for (TimelineSemaphore end : produced) {
        TimelineSemaphore behind = cts.semaphore(there, 0);
        consumed.add(behind);
        consuming.barrier(end.at(1), behind.at(1));
      }
      Fence each = Fence.of(produced.stream().map(end -> end.at(1)).toList());
      consuming.barrier(each, all.at(1));
      consuming.barrier(all.at(1), last.at(1));
      consuming.barrier(blocker.timepoint(), free.at(1));
      consuming.readback(each, read.at(1), source, 0, host);
      int consumers = PRODUCERS + 4; // one for each producer, and all, last, free and read
      awaitIssued(here, issuedHere + PRODUCERS + (there == here ? consumers : 0));
      if (there != here) {
        awaitIssued(there, issuedThere + consumers);
      }
    }

    private static void awaitIssued(Device device, long count) {
      awaitStatistics(
          "all work to be issued while the producers are held",
          device,
          now -> now.issued() >= count);
    }

    /**
     * The positions of the producers that have succeeded. Waits for all of them, but first for a
     * consumer, so that this thread may be the first to see that they have ended.
     */
    List<Integer> awaitProducers() {
      awaitFailure(last, 1);
      List<Integer> sound = new ArrayList<>();
      for (int i = 0; i < produced.size(); i++) {
        TimelineSemaphore end = produced.get(i);
        awaitTrue(end + " to be reached or failed", () -> Waits.isOver(end, 1));
        if (end.failure() == null) {
          sound.add(i);
        }
      }
      return sound;
    }

    /**
     * Checks that consumers of failed producers have failed with the same failure, and that all
     * others have succeeded.
     */
    void checkConsumers(List<Integer> sound, Status status) {
      for (int i = 0; i < PRODUCERS; i++) {
        if (sound.contains(i)) {
          awaitReached("a consumer of sound work", consumed.get(i).at(1));
        } else {
          String why = awaitFailure(produced.get(i), 1, status).getMessage();
          assertHal(status, awaitFailure(consumed.get(i), 1), why);
        }
      }
      for (TimelineSemaphore behind : List.of(all, last, read)) {
        awaitFailure(behind, 1, status);
      }
      awaitReached("work that depends on no producer", free.at(1));
    }

    /** Checks that nothing is written, borrowed, open or kept that should not be. */
    void checkRemains(List<Integer> sound) throws InterruptedException {
      host.awaitFree(Waits.LIMIT);
      byte[] around = TestData.filled(3 * PART, TestData.GUARD);
      byte[] inside = Arrays.copyOfRange(target, PART, 2 * PART); // undefined
      assertBytes(TestData.with(around, PART, inside), target, "around a failed readback");
      byte[] expected = guarded();
      for (int one : sound) {
        expected = TestData.with(expected, part(one), TestData.filled(PART, 1 + one));
      }
      assertBytes(expected, cts.read(buffer), "the bytes that the sound producers wrote");
      for (Device device : List.of(here, there)) {
        assertNull(device.lostCause(), () -> "why " + device + " is lost");
        for (int i = 0; i < device.queueCount(); i++) {
          cts.flush(device.queue(i));
        }
        awaitRetired(device);
      }
      buffer.close();
      source.close();
      for (Device device : List.of(here, there)) {
        awaitStatistics("all buffers to go", device, now -> now.buffers() == 0);
      }
    }

    private static int part(int producer) {
      return PART * (1 + producer);
    }

    private static byte[] guarded() {
      return TestData.filled(PART * (PRODUCERS + 2), TestData.GUARD);
    }
  }

  /** A stream that reorders work determines which of the producers fail. */
  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"Q9", "Q6", "Q7a", "Q2"})
  @Needs(Need.CONTROLS)
  void consumersOfFailedWorkFail(Place place, Form form, Culprits culprits, Cts cts)
      throws Exception {
    cts.needCall(cts.device(), "execute");
    Scene scene = new Scene(cts, place);
    for (int i = 0; i < PRODUCERS; i++) {
      scene.produce(form);
    }
    scene.consume();
    for (int culprit : culprits.which()) {
      cts.controls(scene.here).failNext("execute", 1 + culprit, Status.ABORTED, false);
    }
    scene.blocker.release();
    List<Integer> sound = scene.awaitProducers();
    assertEquals(culprits.others().size(), sound.size(), "producers that succeed");
    scene.checkConsumers(sound, Status.ABORTED);
    scene.checkRemains(sound);
  }

  /** The kernel of the second of three producers gives up. Some devices are lost by that. */
  @ParameterizedTest
  @EnumSource
  @Rule({"Q9", "Q6", "Q7a"})
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void consumersOfAKernelThatGivesUpFail(Place place, Cts cts) throws Exception {
    cts.allowWarnings(); // if this loses the device
    Scene scene = new Scene(cts, place);
    scene.produce(Form.COMMAND);
    scene.giveUp();
    scene.produce(Form.COMMAND);
    scene.consume();
    scene.blocker.release();
    List<Integer> sound = scene.awaitProducers();
    if (scene.here.lostCause() == null) {
      assertEquals(List.of(0, 2), sound, "producers that succeed");
      scene.checkConsumers(sound, Status.ABORTED);
      scene.checkRemains(sound);
      return;
    }
    awaitFailure(scene.produced.get(1), 1, Status.UNAVAILABLE);
    awaitFailure(scene.consumed.get(1), 1, Status.UNAVAILABLE);
    for (TimelineSemaphore behind : List.of(scene.all, scene.last, scene.read)) {
      awaitFailure(behind, 1, Status.UNAVAILABLE);
    }
  }

  /** Native events and recordings are reused. Each use must end as its own work did. */
  @Test
  @Rule({"Q9", "Q6", "Q7a", "K6"})
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void eachUseOfAReusedEventOrRecordingHasItsOwnOutcome(Cts cts) {
    cts.allowWarnings(); // if this loses the device
    for (Form form : Form.values()) {
      Device device = cts.open("inflight=64");
      useAgain(cts, device, form);
      if (device.lostCause() != null) {
        return;
      }
    }
  }

  private static void useAgain(Cts cts, Device device, Form form) {
    DeviceQueue consuming = device.queue(device.queueCount() - 1);
    DeviceBuffer list = cts.buffer(device, 128, BufferParams.DEVICE);
    cts.write(list, 0, new byte[128]);
    CommandBuffer failing = trap(cts, device, form);
    CommandBuffer sound = append(cts, device, form, list);
    int rounds = 30;
    int appended = 0;
    for (int round = 0; round < rounds; round++) {
      boolean fails = round % 3 == 1;
      if (form == Form.RECORDING) {
        failing = trap(cts, device, form);
        sound = append(cts, device, form, list);
      }
      TimelineSemaphore produced = cts.semaphore(device, 0);
      TimelineSemaphore consumed = cts.semaphore(device, 0);
      if (form == Form.COMMAND) {
        device
            .queue(0)
            .dispatch(
                Fence.NONE,
                produced.at(1),
                cts.kernel(device, fails ? "trap" : "append"),
                Workgroups.of(1),
                fails ? Args.of(round) : Args.of(list, 9));
      } else {
        device.queue(0).execute(Fence.NONE, produced.at(1), fails ? failing : sound);
      }
      try {
        consuming.barrier(produced.at(1), consumed.at(1));
      } catch (HalException refused) { // the device may be lost as soon as the kernel gives up
        assertNotNull(device.lostCause(), refused::toString);
        return;
      }
      if (fails) {
        Status seen = awaitFailure(consumed, 1).status();
        assertEquals(seen, awaitFailure(produced, 1).status(), "producer and consumer");
        if (device.lostCause() != null) {
          assertEquals(Status.UNAVAILABLE, seen);
          return;
        }
        assertEquals(Status.ABORTED, seen);
      } else {
        awaitReached("use " + round, consumed.at(1));
        awaitReached("use " + round, produced.at(1));
        appended++;
      }
    }
    assertEquals(appended, TestData.toInts(cts.read(list))[0], "uses that have run");
  }

  private static CommandBuffer.Mode mode(Form form) {
    return form == Form.RECORDING ? CommandBuffer.Mode.ONE_SHOT : CommandBuffer.Mode.REUSABLE;
  }

  private static CommandBuffer trap(Cts cts, Device device, Form form) {
    CommandBuffer commands = cts.closing(device.createCommandBuffer(mode(form)));
    commands.dispatch(cts.kernel(device, "trap"), Workgroups.of(1), Args.of(1));
    commands.end();
    return commands;
  }

  private static CommandBuffer append(Cts cts, Device device, Form form, DeviceBuffer list) {
    CommandBuffer commands = cts.closing(device.createCommandBuffer(mode(form)));
    commands.dispatch(cts.kernel(device, "append"), Workgroups.of(1), Args.of(list, 9));
    commands.end();
    return commands;
  }
}
