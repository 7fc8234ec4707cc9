// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.BackOff;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which work reaches a native queue, and when. A second object stands for another native queue, as
 * the device may have one only.
 */
@Timeout(120)
class SubmissionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private LogicalDevice device;
  private HostGate gate;
  private CommandStream stream;
  private NativeQueue other;

  @BeforeEach
  void open() {
    var unused = OpenVulkan.driver();
    device =
        LogicalDevice.open(VulkanInstance.get(false).devices().require().usable().get(0), null);
    gate = new HostGate(device);
    stream = new CommandStream(device, Long.MAX_VALUE);
    other = new NativeQueue(device, stream.queue().handle());
  }

  @AfterEach
  void close() {
    if (stream != null) {
      gate.open();
      stream.finish();
      gate.close();
      stream.close();
      device.release();
    }
  }

  private static void await(String what, BooleanSupplier isOver) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    assertTrue(
        BackOff.await(what, deadline, isOver),
        () -> "the test has waited " + PATIENCE + " for " + what);
  }

  /** Submits two operations, of which the second, or both, wait at the gate. */
  private List<Work.Point> submitTwo(boolean firstWaits) {
    if (firstWaits) {
      gate.record(stream.recording());
    }
    stream.recording().barrier();
    long first = stream.endOperation();
    gate.record(stream.recording());
    long second = stream.endOperation();
    stream.flush();
    return List.of(
        new Work.Point(stream.timeline(), first, stream.queue()),
        new Work.Point(stream.timeline(), second, stream.queue()));
  }

  /** Submits work of another stream that waits for a point, or for nothing. */
  private Timeline submitBehind(List<Work.Point> waits) {
    Timeline timeline = device.takeTimeline();
    long value = timeline.next();
    timeline.willSubmit(value);
    device.submit(new Work(other, waits, 0, new Work.Point(timeline, value, other)));
    return timeline;
  }

  private void finish(Timeline timeline) {
    await("work to be over", () -> timeline.isOver(timeline.last()));
    other.streams().incrementAndGet();
    device.giveBack(timeline, other);
  }

  @Test
  void aWaitForAnotherQueueGoesIntoAQueueThatIsNotShared() {
    List<Work.Point> points = submitTwo(true);
    Timeline behind = submitBehind(List.of(points.get(1)));
    assertTrue(behind.isSubmitted(behind.last()));
    gate.open();
    finish(behind);
  }

  @Test
  void aWaitForAnotherQueueDoesNotHoldBackOthersOfASharedOne() {
    other.streams().set(2);
    List<Work.Point> points = submitTwo(true);
    Timeline behind = submitBehind(List.of(points.get(1)));
    Timeline free = submitBehind(List.of());
    assertFalse(behind.isSubmitted(behind.last()));
    assertTrue(free.isSubmitted(free.last()));
    gate.open();
    finish(behind);
    finish(free);
  }

  @Test
  void aWaitForTheMiddleOfASubmissionDoesNotWaitForItsEnd() {
    List<Work.Point> points = submitTwo(false);
    Timeline behind = submitBehind(List.of(points.get(0)));
    await(
        "work behind the first operation to be submitted", () -> behind.isSubmitted(behind.last()));
    assertFalse(points.get(1).isPast());
    gate.open();
    finish(behind);
  }

  @Test
  void workIsSubmittedBehindWhatItWaitsFor() {
    stream.recording().barrier();
    long value = stream.endOperation();
    Work.Point kept = new Work.Point(stream.timeline(), value, stream.queue());
    Timeline behind = submitBehind(List.of(kept));
    assertFalse(behind.isSubmitted(behind.last()));
    stream.flush();
    assertTrue(behind.isSubmitted(behind.last()));
    finish(behind);
  }

  @Test
  void whatASubmissionUsesLivesOnWhileItIsBeingHandedOver() {
    AtomicBoolean isDestroyed = new AtomicBoolean();
    AtomicBoolean wasDestroyed = new AtomicBoolean();
    other =
        new NativeQueue(device, stream.queue().handle()) {
          @Override
          void submit(Work work) {
            device.disposals().add(() -> isDestroyed.set(true));
            wasDestroyed.set(isDestroyed.get());
            super.submit(work);
          }
        };
    Timeline timeline = submitBehind(List.of());
    assertFalse(wasDestroyed.get());
    await("work to be over", () -> timeline.isOver(timeline.last()));
    device.disposals().look();
    assertTrue(isDestroyed.get());
    finish(timeline);
  }

  @Test
  void whatAFailedSubmissionWouldHaveUsedIsDestroyedAtOnce() {
    other =
        new NativeQueue(device, stream.queue().handle()) {
          @Override
          void submit(Work work) {
            throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory");
          }
        };
    Timeline timeline = device.takeTimeline();
    long value = timeline.next();
    Work.Point point = new Work.Point(timeline, value, other);
    assertThrows(HalException.class, () -> device.submit(new Work(other, List.of(), 0, point)));
    AtomicBoolean isDestroyed = new AtomicBoolean();
    device.disposals().add(() -> isDestroyed.set(true));
    assertTrue(isDestroyed.get());
    other.streams().incrementAndGet();
    device.giveBack(timeline, other);
  }

  @Test
  void keptWorkThatCannotBeSubmittedLosesTheDevice() {
    IllegalStateException error = new IllegalStateException("refused on purpose");
    other =
        new NativeQueue(device, stream.queue().handle()) {
          @Override
          void submit(Work work) {
            Timeline first = stream.timeline(); // a lost device does not tell of its end
            SubmissionsTest.await("the first work to be over", () -> first.isOver(first.last()));
            throw error;
          }
        };
    stream.recording().barrier();
    long value = stream.endOperation();
    Work.Point next = new Work.Point(stream.timeline(), value, stream.queue());
    Timeline refused = submitBehind(List.of(next));
    stream.flush();
    await("the device to be lost", () -> Attempt.of(device::checkAlive) != null);
    HalException lost = assertThrows(HalException.class, device::checkAlive);
    assertTrue(String.valueOf(lost.getMessage()).contains(error.getMessage()), lost.getMessage());
    other.streams().incrementAndGet();
    device.giveBack(refused, other);
  }
}
