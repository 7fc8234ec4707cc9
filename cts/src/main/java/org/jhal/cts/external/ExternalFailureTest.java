// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.external;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitSet;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ExternalWork;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.ExternalCommands;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** External work that fails, and calls that it must not make. */
@CtsSuite
class ExternalFailureTest {
  /** Runs work that must fail, and checks that the queue continues. */
  private static HalException failure(Cts cts, ExternalWork work) {
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore next = cts.semaphore();
    DeviceBuffer buffer = cts.buffer(16);
    cts.queue().external(Fence.NONE, done.at(1), List.of(cts.buffer(16)), work);
    cts.queue().fill(Fence.NONE, next.at(1), buffer, 0, 16, FillPattern.of8(5));
    HalException failure = awaitFailure(done, 1);
    awaitReached(next, 1);
    assertBytes(filled(16, 5), cts.read(buffer), "filled behind external work that failed");
    assertNull(cts.device().lostCause(), "the device is lost");
    return failure;
  }

  @Test
  @Rule({"Q7a", "Q10", "Q11"})
  void anExceptionInExternalWorkFailsItsSignals(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    IOException thrown = new IOException("no network");
    HalException failure =
        failure(
            cts,
            context -> {
              throw thrown;
            });
    assertHal(Status.ABORTED, failure);
    assertSame(thrown, failure.getCause());
  }

  /** This includes a status that would mean the loss of the device if the driver had thrown it. */
  @Test
  @Rule({"Q7a", "Q10", "Q11"})
  void aHalExceptionInExternalWorkKeepsItsStatus(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    for (Status status : List.of(Status.NOT_FOUND, Status.UNAVAILABLE, Status.CANCELLED)) {
      HalException failure =
          failure(
              cts,
              context -> {
                throw new HalException(status, "as asked for");
              });
      assertHal(status, failure, "as asked for");
    }
  }

  @Test
  @Rule({"Q7a", "Q10", "Q11"})
  void anErrorInExternalWorkFailsItsSignals(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    HalException failure = failure(cts, context -> overflow(0));
    assertHal(Status.ABORTED, failure, "StackOverflowError");
  }

  private static int overflow(int depth) {
    return depth == -1 ? 0 : overflow(depth + 1) + 1;
  }

  /** Work that was enqueued before the failure still runs, on memory that is kept for it. */
  @Test
  @Rule({"Q3", "Q7a", "Q11"})
  void workEnqueuedBeforeTheFailureKeepsItsMemory(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    TimelineSemaphore done = cts.semaphore();
    for (int i = 0; i < 10; i++) {
      DeviceBuffer buffer = cts.device().allocate(1 << 20, BufferParams.DEVICE);
      TimelineSemaphore failed = cts.semaphore();
      cts.queue()
          .external(
              Fence.NONE,
              failed.at(1),
              List.of(buffer),
              context -> {
                external.fill(context, buffer, 1);
                throw new IllegalStateException("after the fill");
              });
      buffer.close();
      assertHal(Status.ABORTED, awaitFailure(failed, 1), "after the fill");
    }
    cts.queue().barrier(Fence.NONE, done.at(1));
    awaitReached(done, 1);
    cts.awaitIdle();
  }

  @Test
  @Rule({"Q6", "Q11"})
  void externalWorkWithAFailedWaitDoesNotRun(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger calls = new AtomicInteger();
    cts.queue().external(failed.at(1), done.at(1), List.of(), context -> calls.incrementAndGet());
    failed.fail(new HalException(Status.DATA_LOSS, "spoilt"));
    assertHal(Status.DATA_LOSS, awaitFailure(done, 1), "spoilt");
    cts.flush(cts.queue());
    assertEquals(0, calls.get(), "calls of work whose wait failed");
  }

  @Test
  @Rule({"M1", "Q11"})
  void anUnallocatedBufferFailsExternalWork(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger calls = new AtomicInteger();
    DeviceBuffer buffer = cts.queue().alloca(go.at(1), go.at(2), 64, BufferParams.DEVICE);
    cts.closing(buffer);
    cts.queue()
        .external(Fence.NONE, done.at(1), List.of(buffer), context -> calls.incrementAndGet());
    assertHal(Status.FAILED_PRECONDITION, awaitFailure(done, 1), "alloca");
    assertEquals(0, calls.get(), "calls without memory");
    go.signal(1);
    awaitReached(go, 2);
  }

  @Test
  @Rule({"Q8", "Q11"})
  void closingADeviceInExternalWorkIsRejected(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    HalException failure = failure(cts, context -> cts.device().close());
    assertHal(Status.FAILED_PRECONDITION, failure, "closing device");
  }

  @Test
  @Rule({"S4", "Q11"})
  void hostWaitsInExternalWorkAreRejected(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore never = cts.semaphore();
    TimelineSemaphore neither = cts.semaphore();
    List<ExternalWork> waits =
        List.of(
            context -> never.await(1),
            context -> never.await(1, Duration.ofSeconds(1)),
            context -> never.tryAwait(1, Duration.ofSeconds(1)),
            context -> HostMemory.of(new byte[1]).awaitFree(),
            context -> never.at(1).and(neither.at(1)).awaitAny(),
            context -> never.at(1).and(neither.at(1)).awaitAll(Duration.ofSeconds(1)));
    for (ExternalWork wait : waits) {
      assertHal(Status.FAILED_PRECONDITION, failure(cts, wait), "a host wait in external work");
    }
  }

  /** The rejected call enqueues nothing that could run later. */
  @Test
  @Rule({"S4", "Q2", "Q11"})
  void aRejectedBlockingCallEnqueuesNothing(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    HostMemory memory = HostMemory.of(new byte[16]);
    DeviceBuffer buffer = cts.buffer(16);
    HalException failure =
        failure(cts, context -> context.queue().blocking().write(memory, buffer));
    assertHal(Status.FAILED_PRECONDITION, failure, "a host wait in external work");
    assertFalse(memory.isBorrowed(), "the refused call still borrows the memory");
  }

  @Test
  @Rule("Q11")
  void aNullBufferIsRejected(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    List<DeviceBuffer> buffers = Arrays.asList(cts.buffer(16), null);
    TimelineSemaphore done = cts.semaphore();
    TestData.assertNullRefused(
        "buffers", () -> cts.queue().external(Fence.NONE, done.at(1), buffers, context -> {}));
  }

  /** A wait with a timeout of zero only checks. */
  @Test
  @Rule({"S4", "Q11"})
  void waitsWithATimeoutOfZeroAreAllowed(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore never = cts.semaphore();
    HalException failure = failure(cts, context -> never.await(1, Duration.ZERO));
    assertHal(Status.DEADLINE_EXCEEDED, failure);
    failure = failure(cts, context -> never.at(1).awaitAll(Duration.ZERO));
    assertHal(Status.DEADLINE_EXCEEDED, failure);
  }

  @Test
  @Rule({"M5", "Q11"})
  void theContextIsInvalidAfterTheWork(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    AtomicReference<ExternalWork.@Nullable Context> kept = new AtomicReference<>();
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().external(Fence.NONE, done.at(1), List.of(buffer), kept::set);
    awaitReached(done, 1);
    assertOver(awaitSet("the context", kept), buffer);
  }

  private static void assertOver(ExternalWork.Context context, DeviceBuffer buffer) {
    String why = "only while the work runs";
    assertHal(Status.FAILED_PRECONDITION, context::stream, why);
    assertHal(Status.FAILED_PRECONDITION, () -> context.address(buffer), why);
    assertHal(Status.FAILED_PRECONDITION, () -> context.bytes(buffer), why);
  }

  /** The thread that ran the first work also runs the second. */
  @Test
  @Rule({"M5", "Q11"})
  void theContextIsInvalidInTheNextWork(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    AtomicReference<ExternalWork.@Nullable Context> kept = new AtomicReference<>();
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().external(Fence.NONE, done.at(1), List.of(buffer), kept::set);
    cts.queue()
        .external(
            done.at(1),
            done.at(2),
            List.of(buffer),
            context -> assertOver(awaitSet("the context", kept), buffer));
    awaitReached(done, 2);
  }

  /** The thread is not the program's, so an interrupt ends with the work that has caused it. */
  @Test
  @Rule("Q11")
  void anInterruptDoesNotReachTheNextWork(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<@Nullable Boolean> seen = new AtomicReference<>();
    cts.queue()
        .external(Fence.NONE, done.at(1), List.of(), context -> Thread.currentThread().interrupt());
    cts.queue()
        .external(done.at(1), done.at(2), List.of(), context -> seen.set(Thread.interrupted()));
    awaitReached(done, 2);
    assertEquals(false, awaitSet("the second work", seen));
  }

  @Test
  @Rule({"M5", "Q11"})
  void theContextIsInvalidOnOtherThreads(Cts cts) throws Exception {
    var unused = new ExternalCommands(cts, cts.device());
    HalException failure =
        failure(
            cts,
            context -> {
              Task<?> other = Task.run("other thread", context::stream);
              throw assertInstanceOf(HalException.class, other.joined());
            });
    assertHal(Status.FAILED_PRECONDITION, failure, "on its own thread");
  }

  @Test
  @Rule({"M5", "Q11"})
  void buffersThatWereNotPassedAreRejected(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    DeviceBuffer stranger = cts.buffer(16);
    HalException failure = failure(cts, context -> external.fill(context, stranger, 1));
    assertHal(Status.INVALID_ARGUMENT, failure, "not in the list of buffers that was passed");
  }

  @Test
  @Rule({"M5", "Q11"})
  void bytesOrAddressThatTheDeviceLacksAreUnimplemented(Cts cts) {
    ExternalCommands external = new ExternalCommands(cts, cts.device());
    if (cts.device().capabilities().contains(Capability.HOST_ADDRESSES)) {
      throw Cts.unsupported("external work of the device gets both bytes and addresses");
    }
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    AtomicReference<@Nullable HalException> refused = new AtomicReference<>();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(buffer),
            context -> {
              try {
                var unused =
                    external.isNative() ? context.bytes(buffer) : (Object) context.address(buffer);
              } catch (HalException e) {
                refused.set(e);
              }
            });
    awaitReached(done, 1);
    assertHal(Status.UNIMPLEMENTED, awaitSet("a refusal", refused));
  }

  @Test
  @Rule({"M5", "Q11"})
  void aClosedBufferIsRejectedAtTheCall(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer closed = cts.buffer(16);
    closed.close();
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> queue.external(Fence.NONE, done.at(1), List.of(closed), c -> {}),
        "buffer 0",
        "closed");
    cts.flush(queue);
    assertEquals(0, done.value());
  }

  @Test
  @Rule({"M5", "Q11"})
  @Needs(Need.SECOND_DEVICE)
  void aBufferOfAnotherDeviceIsRejected(Cts cts) {
    var unused = new ExternalCommands(cts, cts.device());
    TimelineSemaphore done = cts.semaphore();
    DeviceBuffer own = cts.buffer(16);
    DeviceBuffer other = cts.buffer(cts.second(), 16, BufferParams.DEVICE);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> cts.queue().external(Fence.NONE, done.at(1), List.of(own, other), c -> {}),
        "buffer 1",
        "another device");
  }

  /** Closing the device waits for external work that is running. */
  @Test
  @Rule({"Q8", "Q11"})
  @FreshDevice
  void closingTheDeviceWaitsForRunningExternalWork(Cts cts) throws Exception {
    var unused = new ExternalCommands(cts, cts.device());
    Device device = cts.device();
    TimelineSemaphore done = cts.semaphore();
    AtomicInteger state = new AtomicInteger();
    cts.queue()
        .external(
            Fence.NONE,
            done.at(1),
            List.of(),
            context -> {
              state.set(1);
              awaitTrue("the device to be closing", device::isClosed);
              state.set(2);
            });
    awaitTrue("external work to run", () -> state.get() > 0);
    Task<?> closer = Task.run("closer", device::close);
    awaitReached(done, 1);
    assertEquals(2, state.get());
    assertNull(closer.joined());
  }
}
