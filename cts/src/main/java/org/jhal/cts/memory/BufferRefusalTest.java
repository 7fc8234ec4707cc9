// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.isReachedUnlessFound;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Buffers that an operation may not use, for every way to name a buffer. They are rejected at the
 * call, with a message that names the argument, its value and the limit (rule M5).
 */
@CtsSuite
class BufferRefusalTest {
  /** A call that names a buffer and is rejected. */
  @FunctionalInterface
  private interface Call {
    void run(Fence signals);
  }

  /** Checks that the call throws, and that nothing was enqueued, signalled or failed. */
  private static void assertRefused(Cts cts, Status status, Call call, String... parts) {
    TimelineSemaphore done = cts.semaphore();
    long enqueued = cts.device().statistics().enqueued();
    HalException refusal = assertHal(status, () -> call.run(done.at(1)), parts);
    assertEquals(enqueued, cts.device().statistics().enqueued(), () -> "enqueued by " + refusal);
    assertPending(done, 1);
  }

  /** Ranges that do not fit into 16 bytes. */
  static Stream<Arguments> wrongRanges() {
    List<Arguments> all = new ArrayList<>();
    long[][] ranges = {{0, 17}, {16, 1}, {8, 9}, {-1, 1}, {Long.MAX_VALUE, 1}, {1L << 32, 4}};
    for (BufferUse use : BufferUse.withRange()) {
      for (long[] range : ranges) {
        all.add(Arguments.of(use, range[0], range[1]));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("wrongRanges")
  @Rule("M5")
  void rangesOutsideTheBufferAreRejected(BufferUse use, long offset, long length, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(16));
    // A slot's range is checked when a buffer is bound. A range that no buffer can have is rejected
    // when it is recorded, before there is a buffer to name.
    boolean isImpossible = offset < 0 || offset > Long.MAX_VALUE - length;
    String[] parts =
        !use.isBound()
            ? new String[] {use.argument(), "" + offset, "" + length, "16"}
            : isImpossible
                ? new String[] {"" + offset, "" + length}
                : new String[] {"slot 0", "" + (offset + length), "16"};
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        signals -> use.enqueue(cts, signals, buffer, offset, length),
        parts);
    assertBytes(bytes(16), cts.read(buffer), "the buffer after a refused use");
  }

  static Stream<BufferUse> withRange() {
    return BufferUse.withRange().stream();
  }

  @ParameterizedTest
  @MethodSource("withRange")
  @Rule("M5")
  void rangesOutsideASliceAreRejected(BufferUse use, Cts cts) {
    DeviceBuffer whole = cts.buffer(bytes(64));
    DeviceBuffer slice = whole.slice(16, 16);
    assertRefused(
        cts,
        Status.OUT_OF_RANGE,
        signals -> use.enqueue(cts, signals, slice, 8, 9),
        use.argument(),
        "16");
    assertBytes(bytes(64), cts.read(whole), "the buffer after a refused use");
  }

  @ParameterizedTest
  @MethodSource("withRange")
  @Rule({"M2", "M5"})
  void rangesThatJustFitAreAccepted(BufferUse use, Cts cts) {
    DeviceBuffer whole = cts.buffer(bytes(64));
    for (long[] range : new long[][] {{0, 16}, {15, 1}, {16, 0}, {0, 0}}) {
      TimelineSemaphore done = cts.semaphore();
      use.enqueue(cts, done.at(1), whole.slice(16, 16), range[0], range[1]);
      awaitReached(done, 1);
    }
    byte[] outside = cts.read(whole);
    System.arraycopy(bytes(64), 16, outside, 16, 16);
    assertBytes(bytes(64), outside, "the bytes around the slice");
  }

  static Stream<BufferUse> withLength() {
    return Stream.of(
        BufferUse.QUEUE_FILL,
        BufferUse.QUEUE_COPY_FROM,
        BufferUse.QUEUE_COPY_TO,
        BufferUse.COMMAND_FILL,
        BufferUse.COMMAND_COPY_FROM,
        BufferUse.COMMAND_COPY_TO,
        BufferUse.SLOT_FILL,
        BufferUse.SLOT_COPY_FROM,
        BufferUse.SLOT_COPY_TO);
  }

  @ParameterizedTest
  @MethodSource("withLength")
  @Rule("M5")
  void negativeAndHugeLengthsAreRejected(BufferUse use, Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(16));
    for (long length : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 32) + 1}) {
      assertRefused(
          cts,
          Status.OUT_OF_RANGE,
          signals -> use.enqueue(cts, signals, buffer, 1, length),
          String.valueOf(length > 0 && use.isBound() ? "" : length));
    }
    assertBytes(bytes(16), cts.read(buffer), "the buffer after refused uses");
  }

  private static BufferParams without(BufferUsage missing) {
    Set<BufferUsage> usages = EnumSet.copyOf(BufferParams.DEVICE.usage());
    usages.remove(missing);
    return BufferParams.DEVICE.withUsage(usages.toArray(new BufferUsage[0]));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M5")
  void buffersWithoutTheRequiredUsageAreRejected(BufferUse use, Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, without(use.usage()));
    for (DeviceBuffer one : Arrays.asList(buffer, buffer.slice(0, 32))) {
      assertRefused(
          cts,
          Status.PERMISSION_DENIED,
          signals -> use.enqueue(cts, signals, one, 0, 16),
          use.argument(),
          use.usage().toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M5")
  void buffersWithOnlyTheRequiredUsageAreAccepted(BufferUse use, Cts cts) {
    DeviceBuffer buffer = cts.buffer(cts.device(), 64, BufferParams.DEVICE.withUsage(use.usage()));
    TimelineSemaphore done = cts.semaphore();
    use.enqueue(cts, done.at(1), buffer, 0, 16);
    // A device may find that a kernel reads what nothing has written, and nothing could.
    assertTrue(
        isReachedUnlessFound(done.at(1)) || use.usage() == BufferUsage.DISPATCH_READ,
        "a kernel that is right");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M5")
  @Needs(Need.SECOND_DEVICE)
  void buffersOfAnotherDeviceAreRejected(BufferUse use, Cts cts) {
    DeviceBuffer foreign = cts.buffer(cts.second(), 64, BufferParams.DEVICE);
    if (use.crossesDevices()) {
      TimelineSemaphore done = cts.semaphore();
      use.enqueue(cts, done.at(1), foreign, 0, 16);
      awaitReached(done, 1);
    } else {
      assertRefused(
          cts,
          Status.INVALID_ARGUMENT,
          signals -> use.enqueue(cts, signals, foreign, 0, 16),
          use.argument(),
          "another device");
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M5")
  void closedBuffersAreRejected(BufferUse use, Cts cts) {
    DeviceBuffer buffer = cts.buffer(64);
    DeviceBuffer slice = buffer.slice(0, 32);
    buffer.close();
    for (DeviceBuffer one : Arrays.asList(buffer, slice)) {
      assertRefused(
          cts,
          Status.FAILED_PRECONDITION,
          signals -> use.enqueue(cts, signals, one, 0, 16),
          use.argument(),
          "closed");
    }
  }

  /** The call is judged, and not what it would have waited for. */
  @ParameterizedTest
  @EnumSource
  @Rule({"M5", "Q6"})
  void aFailedWaitHidesNoWrongBuffer(BufferUse use, Cts cts) {
    TimelineSemaphore failed = cts.semaphore();
    failed.fail(new HalException(Status.DATA_LOSS, "not to be seen"));
    DeviceBuffer closed = cts.buffer(64);
    closed.close();
    DeviceBuffer unusable = cts.buffer(cts.device(), 64, without(use.usage()));
    assertRefused(
        cts,
        Status.FAILED_PRECONDITION,
        signals -> use.enqueue(cts, failed.at(1), signals, closed, 0, 16),
        use.argument(),
        "closed");
    assertRefused(
        cts,
        Status.PERMISSION_DENIED,
        signals -> use.enqueue(cts, failed.at(1), signals, unusable, 0, 16),
        use.argument(),
        use.usage().toString());
    if (use.hasRange()) {
      DeviceBuffer small = cts.buffer(16);
      assertRefused(
          cts,
          Status.OUT_OF_RANGE,
          signals -> use.enqueue(cts, failed.at(1), signals, small, 8, 9),
          "16");
    }
  }
}
