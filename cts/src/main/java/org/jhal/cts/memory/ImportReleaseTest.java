// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.memory;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Imported memory that two operations use is released once, after the last use, however each use
 * ends (rule M7).
 */
@CtsSuite
@Needs(value = Need.CONTROLS, capabilities = Capability.HOST_IMPORT)
@FreshDevice("inflight=64")
class ImportReleaseTest {
  private static final int SIZE = 4096;
  private static final int PART = 16;
  private static final int PAGE = 1 << 16; // no two imports share a page on any system

  /** How the parked use ends. The other one is held in a stream. */
  enum End {
    SUCCESS(null),
    FAILED_WAIT(Status.DATA_LOSS),
    CLOSED_TIMELINE(Status.CANCELLED),
    FAILED_ISSUE(Status.RESOURCE_EXHAUSTED),
    FAILED_EXECUTION(Status.ABORTED),
    LOST_DEVICE(Status.UNAVAILABLE),
    CLOSED_DEVICE(Status.CANCELLED);

    private final @Nullable Status status; // of the failure; null for success

    End(@Nullable Status status) {
      this.status = status;
    }
  }

  static Stream<Arguments> cases() {
    return Stream.of(End.values())
        .flatMap(end -> Stream.of(Arguments.of(end, true), Arguments.of(end, false)));
  }

  /** Imported memory, and its two uses. */
  private static final class Scene {
    private final Cts cts;
    final Device device;
    final ByteBuffer memory = TestData.direct(filled(SIZE, 0));
    final AtomicInteger releases = new AtomicInteger();
    final TimelineSemaphore released; // reaches 1 when the memory is released
    final TimelineSemaphore go;
    final TimelineSemaphore parked;
    final TimelineSemaphore held;
    final Blocker blocker;

    Scene(Cts cts) {
      this.cts = cts;
      this.device = cts.device();
      this.released = cts.semaphore();
      this.go = cts.semaphore();
      this.parked = cts.semaphore();
      this.held = cts.semaphore();
      this.blocker = new Blocker(cts, cts.queue(0));
      DeviceBuffer buffer =
          cts.closing(
              device
                  .allocator()
                  .importHost(
                      memory,
                      BufferParams.HOST,
                      () -> {
                        if (releases.incrementAndGet() == 1) {
                          released.signal(1);
                        }
                      }));
      cts.queue(0).fill(Fence.NONE, held.at(1), buffer, PART, PART, FillPattern.of8(2));
      cts.queue(device.queueCount() - 1)
          .fill(go.at(1), parked.at(1), buffer, 0, PART, FillPattern.of8(1));
      buffer.close();
    }

    /** Ends the parked use, and waits until it has ended. */
    void end(End end) {
      switch (end) {
        case SUCCESS -> go.signal(1);
        case FAILED_WAIT -> go.fail(new HalException(Status.DATA_LOSS, "gone"));
        case CLOSED_TIMELINE -> go.close();
        case FAILED_ISSUE -> {
          cts.controls().failNext("issue", 1, Status.RESOURCE_EXHAUSTED, false);
          go.signal(1);
        }
        case FAILED_EXECUTION -> {
          cts.controls().failNext("execute", 1, Status.ABORTED, false);
          go.signal(1);
        }
        case LOST_DEVICE -> {
          cts.allowWarnings();
          cts.controls().loseDevice(new HalException(Status.UNAVAILABLE, "the cable was pulled"));
        }
        case CLOSED_DEVICE -> {} // another thread closes it
      }
      if (end.status == null) {
        awaitReached(parked, 1);
      } else {
        awaitFailure(parked, 1, end.status);
      }
    }

    void checkNotReleased(String when) {
      assertStaysPending(released.at(1));
      assertEquals(0, releases.get(), () -> "releases " + when);
    }

    void checkReleased(End end, boolean isHeldDone) {
      awaitTrue("the memory to be released", () -> releases.get() > 0);
      if (device.lostCause() == null && !device.isClosed()) {
        cts.awaitIdle();
      }
      device.close();
      assertEquals(1, releases.get(), "releases in the end");
      byte[] expected = filled(SIZE, 0);
      if (isHeldDone) {
        expected = TestData.with(expected, PART, filled(PART, 2));
      }
      if (end == End.SUCCESS) {
        expected = TestData.with(expected, 0, filled(PART, 1));
      }
      byte[] found = new byte[SIZE];
      memory.duplicate().clear().get(found);
      if (isHeldDone) {
        assertBytes(expected, found, "the memory after its release");
      }
      DeviceStatistics statistics = device.statistics();
      assertEquals(0, statistics.buffers(), statistics::toString);
      assertEquals(statistics.enqueued(), statistics.retired(), statistics::toString);
    }
  }

  /** Half of the buffers are closed while the device is open, the others after its close. */
  @Test
  @Rule("M7")
  void eachOfManyImportsIsReleasedOnce(Cts cts) throws Exception {
    int count = 256;
    ByteBuffer memory = ByteBuffer.allocateDirect((count + 1) * PAGE).alignedSlice(PAGE);
    AtomicIntegerArray releases = new AtomicIntegerArray(count);
    List<DeviceBuffer> buffers = new ArrayList<>();
    TimelineSemaphore filled = cts.semaphore();
    for (int i = 0; i < count; i++) {
      int index = i;
      DeviceBuffer buffer =
          cts.device()
              .allocator()
              .importHost(
                  memory.slice(i * PAGE, SIZE),
                  BufferParams.HOST,
                  () -> releases.incrementAndGet(index));
      buffers.add(buffer);
      cts.queue(i % cts.device().queueCount())
          .fill(
              i == 0 ? Fence.NONE : filled.at(i),
              filled.at(i + 1),
              buffer,
              0,
              PART,
              FillPattern.of8(1));
    }
    buffers.subList(0, count / 2).forEach(DeviceBuffer::close); // most of them are in use
    awaitReached(filled, count);
    cts.device().close();
    buffers.forEach(DeviceBuffer::close);
    for (int i = 0; i < count; i++) {
      int index = i;
      awaitTrue("memory " + i + " to be released", () -> releases.get(index) > 0);
    }
    for (int i = 0; i < count; i++) {
      assertEquals(1, releases.get(i), "releases of memory " + i);
    }
  }

  private static void need(Cts cts, End end, boolean isHeldLast) {
    if (end == End.FAILED_EXECUTION) {
      cts.needCall(cts.device(), "execute");
    }
    boolean runs = end == End.SUCCESS || end == End.FAILED_ISSUE || end == End.FAILED_EXECUTION;
    if (isHeldLast && runs && cts.device().queueCount() == 1) {
      throw Cts.unsupported("with one queue, no work runs beside the held one");
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Rule({"M7", "Q3", "Q6", "Q7", "Q7a", "Q8"})
  void importedMemoryIsReleasedOnceAfterTheLastOfTwoUses(End end, boolean isHeldLast, Cts cts)
      throws Exception {
    need(cts, end, isHeldLast);
    Scene scene = new Scene(cts);
    scene.checkNotReleased("while both uses are open");
    if (!isHeldLast) {
      scene.blocker.release();
      awaitReached(scene.held, 1);
      scene.checkNotReleased("while one use is parked");
    }
    Task<?> closer = null;
    if (end == End.CLOSED_DEVICE) {
      closer = Task.run("closer", scene.device::close);
    }
    scene.end(end);
    boolean endsAll = end == End.LOST_DEVICE;
    if (isHeldLast && endsAll) {
      awaitFailure(scene.held, 1, Status.UNAVAILABLE);
      cts.controls().reset(); // lets held work end, if the device still runs it
      scene.device.close();
    } else if (isHeldLast) {
      scene.checkNotReleased("while one use is in a stream");
      scene.blocker.release();
      awaitReached(scene.held, 1);
    } else if (endsAll) {
      scene.device.close();
    }
    if (closer != null) {
      closer.join();
    }
    scene.checkReleased(end, !(isHeldLast && endsAll));
  }
}
