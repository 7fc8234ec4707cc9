// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.queue;

import static org.jhal.cts.support.TestData.GUARD;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.FailedOperation;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostCall;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.QueueCall;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestFolder;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whose failure each observer of an operation gets, for every kind of operation: with which status
 * and cause, from which of two waits, through which of two signals, and at the call or later (rules
 * Q6, S3, M5).
 */
@CtsSuite
class WhoseFailureTest {
  private static final List<Status> STATUSES = List.of(Status.DATA_LOSS, Status.NOT_FOUND);

  /** A failure that no other one equals in anything. */
  private static HalException failure(int wait) {
    return new HalException(
        STATUSES.get(wait),
        "wait " + wait + " has failed",
        new IllegalStateException("the cause of wait " + wait),
        new NativeCode(-100 - wait, "WAIT_" + wait));
  }

  /** When the waits fail. */
  enum When {
    /** Before the operation is enqueued. */
    BEFORE,
    /** While it is parked, and all is observed. */
    PARKED
  }

  static Stream<Arguments> failedWaits() {
    return Stream.of(QueueCall.values())
        .flatMap(
            kind ->
                Stream.of(When.values())
                    .flatMap(
                        when ->
                            Culprits.positions(2)
                                .map(culprits -> Arguments.of(kind, when, culprits))));
  }

  private static List<TimelineSemaphore> two(Cts cts) {
    return List.of(cts.semaphore(), cts.semaphore());
  }

  private static Fence both(List<TimelineSemaphore> timelines) {
    return timelines.get(0).at(1).and(timelines.get(1).at(1));
  }

  /** Those that do not throw what they get, and may get the timeline's own exception. */
  private static final Set<String> SHARING = Set.of("failure()", "a callback");

  /** Everything that gets the failure of a signal, each by its name. */
  private static final class Observers {
    private final Cts cts;
    private final String name;
    private final Timepoint signal;
    private final AtomicReference<@Nullable HalException> called = new AtomicReference<>();
    private final CompletableFuture<@Nullable Void> future;
    private final TimelineSemaphore dependent;
    private final @Nullable Task<?> waiter;

    Observers(Cts cts, String name, Timepoint signal, boolean blocks) {
      this.cts = cts;
      this.name = name;
      this.signal = signal;
      signal.semaphore().onReach(signal.value(), called::set);
      future = signal.semaphore().whenReached(signal.value());
      dependent = cts.semaphore();
      cts.queue(cts.device().queueCount() - 1).barrier(signal, dependent.at(1));
      waiter = blocks ? Task.run("waiter", () -> signal.awaitAll(Waits.LIMIT)) : null;
      if (waiter != null) {
        waiter.awaitBlocked();
      }
    }

    /** What each of them gets; the signal fails, or has failed. */
    Map<String, HalException> failures() {
      TimelineSemaphore timeline = signal.semaphore();
      long value = signal.value();
      Map<String, HalException> seen = new LinkedHashMap<>();
      if (waiter != null) {
        seen.put("a thread that has waited", thrown(waiter.joined()));
      }
      seen.put("a wait", awaitFailure(timeline, value));
      seen.put("a check", caught(() -> timeline.await(value, Duration.ZERO)));
      seen.put("a wait for a value reached long ago", caught(() -> timeline.await(0)));
      seen.put("a fence", caught(() -> signal.awaitAll(Duration.ZERO)));
      seen.put("a wait for any", caught(() -> signal.awaitAny(Duration.ZERO)));
      seen.put("value()", caught(timeline::value));
      seen.put("signal()", caught(() -> timeline.signal(value + 7)));
      seen.put("failure()", thrown(timeline.failure()));
      seen.put("a callback", awaitSet("the callback of " + name, called));
      seen.put("a future", ofFuture());
      seen.put("an operation behind it", awaitFailure(dependent, 1));
      TimelineSemaphore late = cts.semaphore();
      cts.queue().barrier(signal, late.at(1));
      seen.put("an operation that comes late", awaitFailure(late, 1));
      return seen;
    }

    private HalException ofFuture() {
      Waits.awaitTrue("the future of " + name + " to end", future::isDone);
      AtomicReference<@Nullable Throwable> reason = new AtomicReference<>();
      future.whenComplete((none, why) -> reason.set(why));
      return thrown(reason.get());
    }

    private static HalException caught(Task.Action call) {
      try {
        call.run();
      } catch (Exception e) {
        return thrown(e);
      }
      throw new AssertionError("nothing was thrown");
    }

    private static HalException thrown(@Nullable Throwable thrown) {
      if (thrown instanceof HalException failure) {
        return failure;
      }
      throw new AssertionError("no HalException, but " + thrown, thrown);
    }
  }

  /**
   * Checks that each observer of each signal has got {@code original}, in an exception of its own.
   */
  private static void assertAllGot(HalException original, List<Observers> signals) {
    Set<HalException> exceptions = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Observers signal : signals) {
      signal
          .failures()
          .forEach(
              (observer, seen) -> {
                String who = observer + " of " + signal.name;
                assertEquals(original.status(), seen.status(), who);
                assertEquals(original.getMessage(), seen.getMessage(), who);
                assertSame(original.getCause(), seen.getCause(), () -> "the cause, for " + who);
                assertEquals(original.nativeCode(), seen.nativeCode(), who);
                assertEquals(original.operation(), seen.operation(), who);
                boolean isOwn = exceptions.add(seen);
                assertTrue(
                    isOwn || SHARING.contains(observer), () -> who + " shares its exception");
              });
    }
  }

  private static List<Observers> observe(Cts cts, List<TimelineSemaphore> signals, boolean blocks) {
    List<Observers> observers = new ArrayList<>();
    for (TimelineSemaphore signal : signals) {
      String name = "signal " + observers.size();
      observers.add(new Observers(cts, name, signal.at(1), blocks));
    }
    return observers;
  }

  /** An operation to be, with what it may change. */
  private static final class Scene {
    private static final byte[] BEFORE = filled(16, GUARD);

    private final Cts cts;
    private final DeviceBuffer buffer;
    private final AtomicInteger ran = new AtomicInteger();
    final QueueCall.Prepared call;

    Scene(QueueCall kind, Cts cts) {
      this.cts = cts;
      buffer = cts.buffer(BEFORE);
      call = kind.prepare(cts, buffer, ran);
    }

    /** Checks that the operation has not run, and that nothing of it is open. */
    void checkUntouched() {
      cts.awaitIdle();
      assertEquals(0, ran.get(), "runs of the host call");
      assertBytes(BEFORE, cts.read(buffer), "the buffer that the operation would write");
    }
  }

  /**
   * The failure is that of the first wait that has failed. If both have failed before the call, it
   * is one of them, and has nothing of the other.
   */
  @ParameterizedTest
  @MethodSource("failedWaits")
  @Rule({"Q6", "S3"})
  void everySignalFailsAsTheWaitDid(QueueCall kind, When when, Culprits culprits, Cts cts) {
    Scene scene = new Scene(kind, cts);
    List<TimelineSemaphore> waits = two(cts);
    List<TimelineSemaphore> signals = two(cts);
    List<HalException> failures = List.of(failure(0), failure(1));
    List<Integer> order = new ArrayList<>(culprits.which());
    Collections.reverse(order);
    if (when == When.BEFORE) {
      order.forEach(one -> waits.get(one).fail(failures.get(one)));
    }
    List<Observers> observers = observe(cts, signals, when == When.PARKED);
    scene.call.enqueue(both(waits), both(signals));
    if (when == When.PARKED) {
      signals.forEach(signal -> assertPending(signal, 1));
      order.forEach(one -> waits.get(one).fail(failures.get(one)));
    }
    HalException seen = awaitFailure(signals.get(1), 1);
    int whose = when == When.PARKED ? order.get(0) : STATUSES.indexOf(seen.status());
    assertTrue(culprits.has(whose), () -> "not the failure of a wait that has failed: " + seen);
    assertAllGot(failures.get(whose), observers);
    culprits.others().forEach(other -> waits.get(other).signal(1));
    scene.checkUntouched();
  }

  /** A failure is not lost because other work was faster. */
  @ParameterizedTest
  @EnumSource
  @Rule({"S1a", "Q6"})
  void aFailureCountsEvenIfTheValueWasReachedMeanwhile(QueueCall kind, Cts cts) {
    Scene scene = new Scene(kind, cts);
    TimelineSemaphore wait = cts.semaphore();
    List<TimelineSemaphore> signals = two(cts);
    scene.call.enqueue(wait.at(1), both(signals));
    signals.get(0).signal(1);
    signals.get(1).signal(2);
    HalException failure = failure(0);
    wait.fail(failure);
    for (TimelineSemaphore signal : signals) {
      awaitTrue(signal + " to fail", () -> signal.failure() != null);
      HalException seen = assertHal(failure.status(), signal::value, failure.getMessage());
      assertSame(failure.getCause(), seen.getCause(), "the cause");
    }
    scene.checkUntouched();
  }

  /** What is wrong with one of two waits or signals. */
  enum BadFence {
    CLOSED_WAIT(Status.FAILED_PRECONDITION),
    CLOSED_SIGNAL(Status.FAILED_PRECONDITION),
    REACHED_SIGNAL(Status.OUT_OF_RANGE);

    final Status status;

    BadFence(Status status) {
      this.status = status;
    }
  }

  static Stream<Arguments> badFences() {
    return Stream.of(QueueCall.values())
        .flatMap(
            kind ->
                Stream.of(BadFence.values())
                    .flatMap(bad -> Stream.of(0, 1).map(which -> Arguments.of(kind, bad, which))));
  }

  /** Also if another wait has failed: the call is judged, and not what it would have waited for. */
  @ParameterizedTest
  @MethodSource("badFences")
  @Rule({"M5", "S8", "S1a"})
  void aBadFenceIsReportedAtTheCall(QueueCall kind, BadFence bad, int which, Cts cts) {
    Scene scene = new Scene(kind, cts);
    cts.awaitIdle();
    for (boolean isOtherFailed : new boolean[] {false, true}) {
      List<TimelineSemaphore> waits = two(cts);
      List<TimelineSemaphore> signals = two(cts);
      TimelineSemaphore culprit = (bad == BadFence.CLOSED_WAIT ? waits : signals).get(which);
      TimelineSemaphore other = waits.get(culprit == waits.get(0) ? 1 : 0);
      if (isOtherFailed) {
        other.fail(failure(0));
      }
      Fence waitFence = both(waits);
      Fence signalFence = both(signals);
      if (bad == BadFence.REACHED_SIGNAL) {
        culprit.signal(1);
      } else {
        culprit.close();
      }
      long enqueued = cts.device().statistics().enqueued();
      HalException refusal =
          assertHal(
              bad.status, () -> scene.call.enqueue(waitFence, signalFence), culprit.toString());
      assertNull(refusal.operation(), refusal::toString);
      assertNull(refusal.getCause(), refusal::toString);
      assertEquals(enqueued, cts.device().statistics().enqueued(), "operations");
      for (TimelineSemaphore wait : waits) {
        if (wait != culprit && wait.failure() == null) {
          wait.signal(1);
        }
      }
      cts.flush(cts.queue());
      for (TimelineSemaphore signal : signals) {
        if (signal != culprit) {
          assertPending(signal, 1);
        }
      }
      assertNull(culprit.failure(), "the failure of the timeline that was refused");
    }
    scene.checkUntouched();
    TimelineSemaphore done = cts.semaphore();
    scene.call.enqueue(Fence.NONE, done.at(1));
    awaitReached("the same call with other fences", done.at(1));
  }

  /** How a device ends while an operation is parked. */
  enum End {
    LOSS(Status.UNAVAILABLE, Status.UNAVAILABLE),
    CLOSE(Status.CANCELLED, Status.FAILED_PRECONDITION);

    final Status parked;
    final Status later;

    End(Status parked, Status later) {
      this.parked = parked;
      this.later = later;
    }
  }

  static Stream<Arguments> ends() {
    return Stream.of(QueueCall.values())
        .flatMap(kind -> Stream.of(End.values()).map(end -> Arguments.of(kind, end)));
  }

  /** Through its signals if the operation was enqueued, at the call if not. */
  @ParameterizedTest
  @MethodSource("ends")
  @Rule({"Q7", "Q8", "M5"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void theEndOfTheDeviceIsReported(QueueCall kind, End end, Cts cts) {
    Scene scene = new Scene(kind, cts);
    Scene later = new Scene(kind, cts);
    List<TimelineSemaphore> waits = two(cts);
    List<TimelineSemaphore> signals = two(cts);
    TimelineSemaphore never = cts.semaphore();
    scene.call.enqueue(both(waits), both(signals));
    HalException loss =
        new HalException(
            Status.UNAVAILABLE,
            "the cable was pulled",
            new IllegalStateException("by a cat"),
            new NativeCode(-9, "PULLED"));
    cts.allowWarnings(); // about the loss
    if (end == End.LOSS) {
      cts.controls().loseDevice(loss);
    } else {
      cts.device().close();
    }
    List<HalException> all = new ArrayList<>();
    for (TimelineSemaphore signal : signals) {
      all.add(awaitFailure(signal, 1, end.parked));
    }
    all.add(assertHal(end.later, () -> later.call.enqueue(Fence.NONE, never.at(1))));
    assertPending(never, 1);
    for (HalException one : all) {
      assertNull(one.operation(), one::toString);
      if (end == End.LOSS) {
        assertEquals(loss.nativeCode(), one.nativeCode(), one::toString);
        assertOnce(loss.getMessage(), one);
        assertOnce(loss.getCause(), one);
      }
    }
    assertEquals(0, scene.ran.get() + later.ran.get(), "runs of the host calls");
  }

  /** An operation that fails by itself. */
  enum Own {
    HOST_CALL,
    HOST_CALL_WITH_A_STATUS,
    DEFERRED_HOST_CALL,
    EXTERNAL,
    EXTERNAL_WITH_A_STATUS,
    FILE_READ,
    FILE_WRITE,
    SHORT_FILE,
    HUGE_ALLOCA,
    MISSING_MEMORY
  }

  /** What an operation fails with: a cause that is null is any. */
  private record Expected(
      Status status, @Nullable Throwable cause, String text, @Nullable NativeCode code) {
    Expected(Status status, @Nullable Throwable cause, String text) {
      this(status, cause, text, null);
    }

    static Expected of(HalException thrown) {
      return new Expected(
          thrown.status(), thrown.getCause(), thrown.getMessage(), thrown.nativeCode());
    }
  }

  private static Expected enqueueFailing(Own own, Cts cts, Fence waits, Fence signals)
      throws IOException {
    HalException withStatus = failure(0);
    IllegalStateException other = new IllegalStateException("thrown on purpose");
    DeviceQueue queue = cts.queue();
    DeviceBuffer buffer = cts.buffer(16);
    switch (own) {
      case HOST_CALL, HOST_CALL_WITH_A_STATUS -> {
        RuntimeException thrown = own == Own.HOST_CALL ? other : withStatus;
        queue.hostCall(
            waits,
            signals,
            HostCall.Mode.BLOCKING,
            context -> {
              throw thrown;
            });
      }
      case DEFERRED_HOST_CALL ->
          queue.hostCall(
              waits, signals, HostCall.Mode.BLOCKING, context -> context.defer().fail(withStatus));
      case EXTERNAL, EXTERNAL_WITH_A_STATUS -> {
        OperationKind.EXTERNAL.need(cts);
        RuntimeException thrown = own == Own.EXTERNAL ? other : withStatus;
        queue.external(
            waits,
            signals,
            List.of(buffer),
            context -> {
              throw thrown;
            });
      }
      case FILE_READ, FILE_WRITE -> {
        IOException broken = new IOException("the disk is broken");
        Path path = new TestFolder(cts).file("broken", new byte[16]);
        HookedChannel channel =
            cts.closing(
                new HookedChannel(
                    FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    nth -> {
                      throw broken;
                    }));
        DeviceFile file = cts.closing(cts.device().wrapFile(channel));
        if (own == Own.FILE_READ) {
          queue.read(waits, signals, file, 0, buffer, 0, 16);
        } else {
          queue.write(waits, signals, file, 0, buffer, 0, 16);
        }
        return new Expected(Status.ABORTED, broken, "the disk is broken");
      }
      case SHORT_FILE -> {
        Path path = new TestFolder(cts).file("short", new byte[8]);
        DeviceFile file = cts.closing(cts.device().openFile(path));
        queue.read(waits, signals, file, 0, buffer, 0, 16);
        return new Expected(Status.OUT_OF_RANGE, null, "short");
      }
      case HUGE_ALLOCA -> {
        cts.closing(queue.alloca(waits, signals, Long.MAX_VALUE / 4, BufferParams.DEVICE));
        return new Expected(Status.RESOURCE_EXHAUSTED, null, "" + Long.MAX_VALUE / 4);
      }
      case MISSING_MEMORY -> {
        TimelineSemaphore life = cts.semaphore();
        DeviceBuffer gone =
            cts.closing(queue.alloca(Fence.NONE, life.at(1), 16, BufferParams.DEVICE));
        queue.dealloca(life.at(1), life.at(2), gone);
        awaitReached(life, 2);
        queue.copy(waits, signals, buffer, 0, gone, 0, 16);
        return new Expected(Status.FAILED_PRECONDITION, null, "");
      }
    }
    return own.name().endsWith("WITH_A_STATUS") || own == Own.DEFERRED_HOST_CALL
        ? Expected.of(withStatus)
        : new Expected(Status.ABORTED, other, "thrown on purpose");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q6", "S3", "M9"})
  void everySignalFailsWithTheOwnFailureOfItsOperation(Own own, Cts cts) throws IOException {
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> signals = two(cts);
    Expected expected = enqueueFailing(own, cts, go.at(1), both(signals));
    List<Observers> observers = observe(cts, signals, true);
    signals.forEach(signal -> assertPending(signal, 1));
    go.signal(1);
    HalException seen = awaitFailure(signals.get(1), 1, expected.status());
    FailedOperation failed = seen.operation();
    assertNotNull(failed, seen::toString);
    assertEquals(cts.queue().toString(), failed.queue(), seen::toString);
    assertOnce(failed.toString(), seen);
    assertEquals(expected.code(), seen.nativeCode(), seen::toString);
    if (!expected.text().isEmpty()) {
      assertOnce(expected.text(), seen);
    }
    if (expected.cause() != null) {
      assertSame(expected.cause(), seen.getCause(), "the cause");
    }
    assertAllGot(seen, observers);
    cts.awaitIdle();
  }

  /** Checks that the message of a failure contains a text once. */
  private static void assertOnce(String text, HalException failure) {
    assertEquals(2, failure.getMessage().split(Pattern.quote(text), -1).length, failure::toString);
  }

  /** Checks that a throwable is among the causes of a failure, once. */
  private static void assertOnce(@Nullable Throwable cause, HalException failure) {
    int found = 0;
    for (Throwable next = failure; next != null; next = next.getCause()) {
      found += next == cause ? 1 : 0;
    }
    assertEquals(1, found, () -> "how often " + cause + " is among the causes of " + failure);
  }
}
