// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Controls;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.TestFolder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A failure names the operation that has failed, exactly once (rule Q6). */
@CtsSuite
class FailedOperationTest {
  private static final Pattern PARKED =
      Pattern.compile("(\\S+) operation (\\d+) \\(([^,]+), PARKED");

  /** The operation that would signal {@code done}; it is parked. */
  private static FailedOperation parked(Timepoint done) {
    String text = done.semaphore().explain(done.value());
    Matcher found = PARKED.matcher(text);
    assertTrue(found.find(), () -> "no parked operation in: " + text);
    return new FailedOperation(
        found.group(1), Long.parseLong(found.group(2)), found.group(3).split(" of ", -1)[0]);
  }

  private static void assertNames(
      FailedOperation expected, @Nullable HalException failure, String who) {
    HalException seen = assertNotNullFailure(failure, who);
    FailedOperation named = seen.operation();
    assertNotNull(named, () -> who + ": no operation in " + seen);
    assertEquals(expected.queue(), named.queue(), who);
    assertEquals(expected.number(), named.number(), who);
    assertTrue(named.kind().startsWith(expected.kind()), () -> who + ": " + named);
    assertTrue(seen.getMessage().startsWith(named + ": "), () -> who + ": " + seen);
    assertEquals(
        2, seen.getMessage().split(" operation \\d+ \\(", -1).length, () -> who + ": " + seen);
  }

  private static HalException assertNotNullFailure(@Nullable HalException failure, String who) {
    if (failure == null) {
      throw new AssertionError(who + " got no failure");
    }
    return failure;
  }

  /** Enqueues a host call that fails, parked until {@code go}. */
  private static FailedOperation failing(Cts cts, DeviceQueue queue, Fence go, Timepoint done) {
    queue.hostCall(
        go,
        done,
        Mode.BLOCKING,
        context -> {
          throw new IllegalStateException("thrown on purpose");
        });
    return parked(done);
  }

  private static DeviceQueue last(Cts cts) {
    return cts.queue(cts.device().queueCount() - 1);
  }

  @Test
  @Rule({"Q6", "S3"})
  void everyWaiterGetsTheFailedOperation(Cts cts) throws Exception {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().barrier(go.at(7), cts.semaphore().at(1)); // so that it is not the first
    FailedOperation failed = failing(cts, cts.queue(), go.at(1), done.at(1));
    assertEquals(cts.queue().toString(), failed.queue());
    AtomicReference<@Nullable HalException> called = new AtomicReference<>();
    done.onReach(1, called::set);
    go.signal(1);
    assertNames(failed, awaitFailure(done, 1, Status.ABORTED), "a host wait");
    assertNames(failed, awaitSet("the callback", called), "a callback");
    assertNames(failed, assertHal(Status.ABORTED, done::value), "a look at the value");
    assertNames(failed, done.failure(), "a look at the failure");
    assertNames(
        failed, assertHal(Status.ABORTED, () -> done.at(1).and(go.at(1)).awaitAll()), "a fence");
    HalException first = awaitFailure(done, 1, Status.ABORTED);
    assertTrue(first.getMessage().contains("thrown on purpose"), first::toString);
    assertTrue(first.getCause() instanceof IllegalStateException, first::toString);
  }

  /** The consumers form a chain across all queues; the last one is enqueued after the failure. */
  @Test
  @Rule({"Q6", "Q9"})
  void dependentFailuresNameTheFirstFailedOperation(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore chain = cts.semaphore();
    FailedOperation failed = failing(cts, last(cts), go.at(1), chain.at(1));
    List<TimelineSemaphore> links = new ArrayList<>(List.of(chain));
    DeviceBuffer buffer = cts.buffer(16);
    for (int i = 0; i < 6; i++) {
      TimelineSemaphore next = cts.semaphore();
      Fence waits = links.get(i).at(1);
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      if (i % 2 == 0) {
        queue.fill(waits, next.at(1), buffer, 0, 16, FillPattern.of8(i));
      } else {
        queue.hostCall(waits, next.at(1), Mode.BLOCKING, context -> {});
      }
      links.add(next);
    }
    go.signal(1);
    for (TimelineSemaphore link : links) {
      assertNames(failed, awaitFailure(link, 1, Status.ABORTED), "a link of the chain");
    }
    TimelineSemaphore late = cts.semaphore();
    cts.queue().barrier(links.get(6).at(1), late.at(1));
    assertNames(failed, awaitFailure(late, 1, Status.ABORTED), "one that came later");
  }

  /**
   * If one or both of two producers fail, the consumer's failure names exactly one that has failed.
   */
  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "true, true"})
  @Rule("Q6")
  void aConsumerNamesOneOfItsFailedProducers(boolean firstFails, boolean secondFails, Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore one = cts.semaphore();
    TimelineSemaphore two = cts.semaphore();
    TimelineSemaphore both = cts.semaphore();
    List<FailedOperation> culprits = new ArrayList<>();
    for (TimelineSemaphore done : List.of(one, two)) {
      if (done == one ? firstFails : secondFails) {
        culprits.add(failing(cts, cts.queue(), go.at(1), done.at(1)));
      } else {
        cts.queue().hostCall(go.at(1), done.at(1), Mode.BLOCKING, context -> {});
      }
    }
    cts.queue().barrier(one.at(1).and(two.at(1)), both.at(1));
    go.signal(1);
    HalException failure = awaitFailure(both, 1, Status.ABORTED);
    FailedOperation named = failure.operation();
    assertNotNull(named, failure::toString);
    FailedOperation culprit =
        culprits.stream().filter(c -> c.number() == named.number()).findAny().orElse(null);
    assertNotNull(culprit, () -> failure + " names none of " + culprits);
    assertNames(culprit, failure, "the consumer");
  }

  /** Work behind failed work often fails because of that, so it reports that. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"Q6", "Q9"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void workThatFailsBehindFailedWorkNamesThat(boolean isOnOneQueue, Cts cts) {
    cts.needCall(cts.device(), "execute");
    DeviceBuffer buffer = cts.buffer(filled(8, 0));
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    TimelineSemaphore third = cts.semaphore();
    DeviceQueue behind = isOnOneQueue ? cts.queue() : last(cts);
    Blocker blocker = new Blocker(cts, cts.queue());
    cts.queue().fill(blocker.timepoint(), first.at(1), buffer, 0, 4, FillPattern.of8(1));
    behind.fill(first.at(1), second.at(1), buffer, 4, 4, FillPattern.of8(2));
    behind.barrier(second.at(1), third.at(1));
    awaitTrue("both to be issued", () -> second.explain(1).contains("ISSUED"));
    cts.controls().failNext("execute", 1, Status.DATA_LOSS, false);
    cts.controls().failNext("execute", 2, Status.INTERNAL, false);
    blocker.release();
    HalException failure = awaitFailure(first, 1, Status.DATA_LOSS);
    FailedOperation failed = assertNotNullOperation(failure);
    for (TimelineSemaphore consumer : List.of(second, third)) {
      assertNames(failed, awaitFailure(consumer, 1, Status.DATA_LOSS), "work behind it");
    }
    cts.awaitIdle();
    assertBytes(filled(8, 0), cts.read(buffer), "the buffer that both were to fill");
  }

  private static FailedOperation assertNotNullOperation(HalException failure) {
    FailedOperation named = failure.operation();
    if (named == null) {
      throw new AssertionError("no operation in " + failure);
    }
    return named;
  }

  @Test
  @Rule({"M1", "Q6"})
  void useOfUnallocatedMemoryNamesTheUser(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer promised =
        cts.closing(cts.queue().alloca(never.at(1), Fence.NONE, 16, BufferParams.DEVICE));
    cts.queue().fill(go.at(1), done.at(1), promised, 0, 16, FillPattern.ZERO);
    FailedOperation failed = parked(done.at(1));
    go.signal(1);
    HalException failure = awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    assertNames(failed, failure, "a host wait");
    assertEquals("fill", failed.kind());
    never.signal(1);
  }

  @Test
  @Rule({"M9", "Q6"})
  void aShortFileNamesTheReadAndNotItsParts(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("short", new byte[5_000_000]);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(6_000_000);
    try (DeviceFile file = cts.device().openFile(path, StandardOpenOption.READ)) {
      cts.queue().read(go.at(1), done.at(1), file, 0, buffer, 0, 6_000_000);
      FailedOperation failed = parked(done.at(1));
      go.signal(1);
      assertNames(failed, awaitFailure(done, 1, Status.OUT_OF_RANGE), "a host wait");
      cts.awaitIdle();
    }
  }

  @Test
  @Rule({"S3", "S8", "Q6"})
  void failuresCausedByNoOperationNameNone(Cts cts) {
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore closed = cts.semaphore();
    TimelineSemaphore first = cts.semaphore();
    TimelineSemaphore second = cts.semaphore();
    cts.queue().barrier(failed.at(1), first.at(1));
    cts.queue().barrier(closed.at(1), second.at(1));
    failed.fail(new HalException(Status.DATA_LOSS, "by the program"));
    closed.close();
    HalException byProgram = awaitFailure(first, 1, Status.DATA_LOSS);
    assertEquals("by the program", byProgram.getMessage());
    assertNull(byProgram.operation(), byProgram::toString);
    HalException byClose = awaitFailure(second, 1, Status.CANCELLED);
    assertNull(byClose.operation(), byClose::toString);
    assertNull(
        assertHal(Status.OUT_OF_RANGE, () -> first.at(-1)).operation(), "a call that is refused");
  }

  /**
   * A host call rethrows a failure that it has received: its own failure names the original
   * operation.
   */
  @Test
  @Rule("Q6")
  void aFailureRethrownByAHostCallKeepsItsOperation(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    FailedOperation first = failing(cts, cts.queue(), go.at(1), failed.at(1));
    go.signal(1);
    HalException seen = awaitFailure(failed, 1, Status.ABORTED);
    last(cts)
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.BLOCKING,
            context -> {
              throw seen;
            });
    assertNames(first, awaitFailure(done, 1, Status.ABORTED), "the second host call's");
  }

  /**
   * This includes the status of a lost device: an exception of the program says nothing about that.
   */
  @ParameterizedTest
  @EnumSource
  @Rule("Q6")
  void aFailedHostCallIsNamedForEachStatus(Status status, Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .hostCall(
            go.at(1),
            done.at(1),
            Mode.BLOCKING,
            context -> {
              throw new HalException(status, "thrown on purpose");
            });
    FailedOperation failed = parked(done.at(1));
    go.signal(1);
    assertNames(failed, awaitFailure(done, 1, status), "a host wait");
    cts.awaitIdle();
  }

  @ParameterizedTest
  @ValueSource(strings = {"submit", "issue", "command", "execute"})
  @Rule({"Q6", "Q7a"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aNativeFailureNamesItsOperationAndKeepsItsCode(String call, Cts cts) {
    cts.needCall(cts.device(), call);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(new byte[16]);
    cts.queue().fill(go.at(1), done.at(1), buffer, 0, 16, FillPattern.of8(1));
    FailedOperation failed = parked(done.at(1));
    last(cts).barrier(done.at(1), behind.at(1));
    cts.controls().failNext(call, 1, Status.ABORTED, false);
    go.signal(1);
    for (TimelineSemaphore semaphore : List.of(done, behind)) {
      HalException failure = awaitFailure(semaphore, 1, Status.ABORTED);
      assertNames(failed, failure, "of " + call);
      assertEquals(Controls.INJECTED, failure.nativeCode(), () -> "the code of " + failure);
      assertEquals(failure.nativeCode(), failure.again().nativeCode());
    }
    TimelineSemaphore after = cts.semaphore();
    cts.queue().fill(Fence.NONE, after.at(1), buffer, 0, 16, FillPattern.of8(2));
    awaitReached(after, 1);
  }

  /** Operations that an engine may carry out in parts, each of which is an operation of its own. */
  enum Whole {
    FILE_READ,
    FILE_WRITE,
    COPY_BETWEEN_DEVICES
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M9", "S9", "Q6", "Q7a"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aNativeFailureOfAPartNamesTheWhole(Whole whole, Cts cts) {
    cts.needCall(cts.device(), "issue");
    int size = 5_000_000;
    DeviceBuffer buffer = cts.buffer(size);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    if (whole == Whole.COPY_BETWEEN_DEVICES) {
      DeviceBuffer source = cts.buffer(Peers.openAlone(cts), size, BufferParams.DEVICE);
      cts.queue().copy(go.at(1), done.at(1), source, 0, buffer, 0, size);
    } else {
      Path path = new TestFolder(cts).file("whole", new byte[size]);
      DeviceFile file =
          cts.closing(
              cts.device().openFile(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
      if (whole == Whole.FILE_READ) {
        cts.queue().read(go.at(1), done.at(1), file, 0, buffer, 0, size);
      } else {
        cts.queue().write(go.at(1), done.at(1), file, 0, buffer, 0, size);
      }
    }
    FailedOperation failed = parked(done.at(1));
    cts.queue().barrier(done.at(1), behind.at(1));
    cts.controls().failNext("issue", 1, Status.ABORTED, false);
    go.signal(1);
    for (TimelineSemaphore semaphore : List.of(done, behind)) {
      HalException failure = awaitFailure(semaphore, 1, Status.ABORTED);
      assertNames(failed, failure, "a part's");
      assertEquals(Controls.INJECTED, failure.nativeCode(), () -> "the code of " + failure);
    }
    cts.awaitIdle();
  }

  @Test
  @Rule({"M1", "Q6", "Q7a"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aFailedAllocaIsNamed(Cts cts) {
    cts.needCall(cts.device(), "allocAsync");
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.closing(cts.queue().alloca(go.at(1), done.at(1), 64, BufferParams.DEVICE));
    FailedOperation failed = parked(done.at(1));
    cts.controls().failNext("allocAsync", 1, Status.RESOURCE_EXHAUSTED, false);
    go.signal(1);
    assertNames(failed, awaitFailure(done, 1, Status.RESOURCE_EXHAUSTED), "a host wait");
  }

  /**
   * The failures name no operation, because the device is lost. Their message names the one after
   * which the loss was detected, and they keep the native code.
   */
  @ParameterizedTest
  @ValueSource(strings = {"submit", "issue", "recordEvent", "waitEvent"})
  @Rule("Q7")
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aLossReportsTheOperationBeforeItAndTheNativeCode(String call, Cts cts) {
    cts.needCall(cts.device(), call);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore never = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    Fence waits = go.at(1);
    if (call.equals("waitEvent")) {
      if (last(cts).index() == 0) {
        throw Cts.unsupported("with one queue, no stream waits for another one's events");
      }
      waits = waits.and(new Blocker(cts, cts.queue()).timepoint());
    }
    last(cts).fill(waits, done.at(1), buffer, 0, 16, FillPattern.of8(1));
    FailedOperation seen = parked(done.at(1));
    cts.queue().barrier(go.at(2), never.at(1)); // fails with the device
    boolean isWait = call.equals("waitEvent"); // another call could detect a loss first
    cts.controls().failNext(call, 1, isWait ? Status.INTERNAL : Status.UNAVAILABLE, !isWait);
    go.signal(1);
    for (TimelineSemaphore semaphore : List.of(done, never)) {
      HalException failure = awaitFailure(semaphore, 1, Status.UNAVAILABLE);
      assertNull(failure.operation(), failure::toString);
      assertTrue(
          failure.getMessage().contains("operation " + seen.number() + " (")
              && failure.getMessage().contains(seen.queue()),
          failure::toString);
      assertEquals(Controls.INJECTED, failure.nativeCode(), failure::toString);
    }
    assertLossNamesNoOperation(cts);
    HalException lost = assertHal(Status.UNAVAILABLE, () -> cts.buffer(16));
    assertEquals(Controls.INJECTED, lost.nativeCode(), lost::toString);
    cts.allowWarnings(); // about the loss, and resources that it prevents from being released
  }

  /** A loss that was not detected after any operation names none, and neither do later failures. */
  @Test
  @Rule({"Q6", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aLossNotDetectedAfterAnOperationNamesNone(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    cts.queue().barrier(go.at(1), done.at(1));
    last(cts).barrier(done.at(1), behind.at(1));
    cts.allowWarnings(); // about the loss
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
    for (TimelineSemaphore semaphore : List.of(done, behind)) {
      HalException failure = awaitFailure(semaphore, 1, Status.UNAVAILABLE);
      assertNull(failure.operation(), failure::toString);
      assertTrue(failure.getMessage().contains("the cable was pulled"), failure::toString);
    }
    assertLossNamesNoOperation(cts);
  }

  /**
   * An operation that failed by itself before the loss is still named afterwards, also by
   * operations that depend on it.
   */
  @Test
  @Rule({"Q6", "Q7"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void aFailureBeforeTheLossKeepsItsOperation(Cts cts) {
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore behind = cts.semaphore();
    FailedOperation failed = failing(cts, cts.queue(), go.at(1), done.at(1));
    last(cts).barrier(done.at(1), behind.at(1));
    go.signal(1);
    awaitFailure(behind, 1, Status.ABORTED);
    cts.allowWarnings(); // about the loss
    cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
    assertLossNamesNoOperation(cts);
    assertNames(failed, awaitFailure(done, 1, Status.ABORTED), "the failed one's signal");
    assertNames(failed, awaitFailure(behind, 1, Status.ABORTED), "the signal behind it");
  }

  /** Checks that the cause of the loss, and the failures of later calls, name no operation. */
  private static void assertLossNamesNoOperation(Cts cts) {
    HalException cause = cts.device().lostCause();
    assertNotNull(cause, "the cause of the loss");
    assertEquals(Status.UNAVAILABLE, cause.status(), cause::toString);
    assertNull(cause.operation(), () -> "the cause of the loss: " + cause);
    assertNull(cause.again().operation(), () -> "a copy of it: " + cause.again());
    HalException memory = assertHal(Status.UNAVAILABLE, () -> cts.buffer(16));
    assertNull(memory.operation(), () -> "a call for memory: " + memory);
    TimelineSemaphore late = cts.semaphore();
    HalException refused =
        assertHal(Status.UNAVAILABLE, () -> cts.queue().barrier(Fence.NONE, late.at(1)));
    assertNull(refused.operation(), () -> "a call of a queue: " + refused);
  }
}
