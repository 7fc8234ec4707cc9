// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.device;

import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostCall.Mode;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.OperationKind;
import org.jhal.cts.support.Task;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A failure leaves nothing behind that a close would wait for. The devices here would wait for it
 * longer than a test may take.
 */
@CtsSuite
class CloseAfterFailureTest {
  private static final String PATIENT = "close-timeout=1000s";

  private static void fail(TimelineSemaphore timeline) {
    timeline.fail(new HalException(Status.DATA_LOSS, "nothing comes"));
  }

  /** Closes a device that has nothing to do, and checks that nothing is left. */
  private static void close(Device device) throws Exception {
    Task.run("close " + device, device::close).join();
    assertEquals(0, device.statistics().openOperations(), "open operations of " + device);
    assertEquals(0, device.statistics().buffers(), "buffers of " + device);
    assertEquals(0, device.statistics().bytes(), "bytes of " + device);
  }

  /** What fails on one device. */
  enum Failure {
    WAIT_FAILED_BEFORE {
      @Override
      void happen(Cts cts, Device device) {
        TimelineSemaphore wait = cts.semaphore(device, 0);
        fail(wait);
        allKinds(cts, device, wait.at(1), Status.DATA_LOSS, () -> {});
      }
    },
    WAIT_FAILED_LATER {
      @Override
      void happen(Cts cts, Device device) {
        TimelineSemaphore wait = cts.semaphore(device, 0);
        allKinds(cts, device, wait.at(1), Status.DATA_LOSS, () -> fail(wait));
      }
    },
    WAIT_CLOSED {
      @Override
      void happen(Cts cts, Device device) {
        TimelineSemaphore wait = cts.semaphore(device, 0);
        allKinds(cts, device, wait.at(1), Status.CANCELLED, wait::close);
      }
    },
    HOST_CALL {
      @Override
      void happen(Cts cts, Device device) {
        TimelineSemaphore called = cts.semaphore(device, 0);
        device
            .queue(0)
            .hostCall(
                Fence.NONE,
                called.at(1),
                Mode.BLOCKING,
                context -> {
                  throw new HalException(Status.DATA_LOSS, "nothing comes");
                });
        allKinds(cts, device, called.at(1), Status.DATA_LOSS, () -> {});
      }
    },
    ALLOCA {
      @Override
      void happen(Cts cts, Device device) {
        TimelineSemaphore made = cts.semaphore(device, 0);
        TimelineSemaphore used = cts.semaphore(device, 0);
        DeviceBuffer none =
            device.queue(0).alloca(Fence.NONE, made.at(1), Long.MAX_VALUE / 4, BufferParams.DEVICE);
        awaitFailure(made, 1, Status.RESOURCE_EXHAUSTED);
        device.queue(0).fill(Fence.NONE, used.at(1), none, 0, 16, FillPattern.ZERO);
        awaitFailure(used, 1, Status.FAILED_PRECONDITION);
        none.close();
      }
    },
    SHORT_FILE {
      @Override
      void happen(Cts cts, Device device) {
        TestFolder folder = new TestFolder(cts);
        TimelineSemaphore read = cts.semaphore(device, 0);
        try (DeviceBuffer buffer = device.allocate(6_000_000, BufferParams.DEVICE);
            DeviceFile file =
                device.openFile(
                    folder.file("short", new byte[5_000_000]), StandardOpenOption.READ)) {
          device.queue(0).read(Fence.NONE, read.at(1), file, 0, buffer, 0, 6_000_000);
          awaitFailure(read, 1, Status.OUT_OF_RANGE);
        }
      }
    },
    CLOSED_FILE {
      @Override
      void happen(Cts cts, Device device) {
        TestFolder folder = new TestFolder(cts);
        TimelineSemaphore go = cts.semaphore(device, 0);
        TimelineSemaphore moved = cts.semaphore(device, 0);
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        DeviceFile file =
            device.openFile(
                folder.file("closed", new byte[64]),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        device.queue(0).read(go.at(1), Fence.NONE, file, 0, buffer, 0, 64);
        device.queue(0).write(go.at(1), moved.at(1), file, 0, buffer, 0, 64);
        file.close();
        buffer.close();
        fail(go);
        awaitFailure(moved, 1, Status.DATA_LOSS);
      }
    },
    REFUSED_CALLS {
      @Override
      void happen(Cts cts, Device device) {
        DeviceQueue queue = device.queue(0);
        TimelineSemaphore done = cts.semaphore(device, 1);
        DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
        assertHal(
            Status.OUT_OF_RANGE,
            () -> queue.fill(Fence.NONE, done.at(2), buffer, 8, 16, FillPattern.ZERO));
        assertHal(Status.OUT_OF_RANGE, () -> queue.barrier(Fence.NONE, done.at(1)));
        assertHal(
            Status.OUT_OF_RANGE,
            () -> queue.alloca(Fence.NONE, done.at(1), 64, BufferParams.DEVICE));
        assertHal(Status.INVALID_ARGUMENT, () -> queue.dealloca(Fence.NONE, done.at(2), buffer));
        ExecutableSource none =
            ExecutableSource.builder("none").kernel("k", 1).variant("none", new byte[1]).build();
        assertHal(Status.UNIMPLEMENTED, () -> device.loadExecutable(none));
        buffer.close();
      }
    };

    abstract void happen(Cts cts, Device device);

    /** Enqueues an operation of each kind with a wait, and checks that all fail. */
    private static void allKinds(Cts cts, Device device, Fence wait, Status status, Runnable end) {
      List<TimelineSemaphore> ends = new ArrayList<>();
      DeviceBuffer buffer = device.allocate(16, BufferParams.DEVICE);
      for (OperationKind kind : OperationKind.of(cts, device)) {
        if (kind.runsKernel() || kind == OperationKind.ALLOCA_DEALLOCA) {
          continue; // the device under test has the kernel; a buffer is kept until the test ends
        }
        for (int queue = 0; queue < device.queueCount(); queue++) {
          ends.add(cts.semaphore(device, 0));
          kind.enqueue(cts, device.queue(queue), wait, ends.get(ends.size() - 1).at(1), buffer);
        }
      }
      buffer.close();
      end.run();
      ends.forEach(one -> awaitFailure(one, 1, status));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"Q8", "Q10"})
  void aDeviceClosesAtOnce(Failure failure, Cts cts) throws Exception {
    Device device = cts.open(PATIENT);
    failure.happen(cts, device);
    close(device);
  }

  /** What fails that two devices take part in. */
  enum Shared {
    COPY_WITH_A_FAILED_WAIT {
      @Override
      void happen(Cts cts, Device one, Device two) {
        TimelineSemaphore wait = cts.semaphore(one, 0);
        copies(cts, one, two, wait.at(1), Status.DATA_LOSS, () -> fail(wait));
      }
    },
    COPY_OF_MEMORY_THAT_IS_NOT_ALLOCATED {
      @Override
      void happen(Cts cts, Device one, Device two) {
        TimelineSemaphore go = cts.semaphore(one, 0);
        TimelineSemaphore done = cts.semaphore(one, 0);
        DeviceBuffer lacking = two.queue(0).alloca(go.at(1), Fence.NONE, 64, BufferParams.DEVICE);
        DeviceBuffer local = one.allocate(64, BufferParams.DEVICE);
        one.queue(0).copy(Fence.NONE, done.at(1), lacking, 0, local, 0, 64);
        awaitFailure(done, 1, Status.FAILED_PRECONDITION);
        one.queue(0).copy(Fence.NONE, done.at(2), local, 0, lacking, 0, 64);
        awaitFailure(done, 2);
        lacking.close();
        local.close();
        fail(go);
      }
    },
    COPY_IN_BOTH_DIRECTIONS_OF_WHICH_ONE_FAILS {
      @Override
      void happen(Cts cts, Device one, Device two) {
        TimelineSemaphore wait = cts.semaphore(one, 0);
        TimelineSemaphore done = cts.semaphore(one, 0);
        DeviceBuffer here = one.allocate(1 << 20, BufferParams.DEVICE);
        DeviceBuffer there = two.allocate(1 << 20, BufferParams.DEVICE);
        one.queue(0).copy(Fence.NONE, done.at(1), here, 0, there, 0, 1 << 20);
        two.queue(0).copy(done.at(1), done.at(2), there, 0, here, 0, 1 << 20);
        copies(cts, one, two, wait.at(1), Status.DATA_LOSS, () -> fail(wait));
        awaitReached(done, 2);
        here.close();
        there.close();
      }
    },
    COLLECTIVE_WITH_A_FAILED_WAIT {
      @Override
      void happen(Cts cts, Device one, Device two) {
        TimelineSemaphore wait = cts.semaphore(one, 0);
        collective(cts, one, two, wait.at(1), Status.DATA_LOSS, () -> fail(wait));
      }
    },
    COLLECTIVE_WITH_A_WAIT_THAT_FAILED_BEFORE {
      @Override
      void happen(Cts cts, Device one, Device two) {
        TimelineSemaphore wait = cts.semaphore(two, 0);
        fail(wait);
        collective(cts, one, two, wait.at(1), Status.DATA_LOSS, () -> {});
      }
    },
    GROUP_THAT_IS_REFUSED {
      @Override
      void happen(Cts cts, Device one, Device two) {
        Device closed = cts.open();
        closed.close();
        assertHal(Status.FAILED_PRECONDITION, () -> CollectiveGroup.of(one, two, closed));
        assertHal(Status.FAILED_PRECONDITION, () -> CollectiveGroup.of(closed, one, two));
      }
    };

    abstract void happen(Cts cts, Device one, Device two);

    private static void copies(
        Cts cts, Device one, Device two, Fence wait, Status status, Runnable end) {
      List<TimelineSemaphore> ends = new ArrayList<>();
      DeviceBuffer here = one.allocate(64, BufferParams.DEVICE);
      DeviceBuffer there = two.allocate(64, BufferParams.DEVICE);
      for (Device device : List.of(one, two)) {
        for (int i = 0; i < 2; i++) {
          ends.add(cts.semaphore(device, 0));
          DeviceBuffer from = i == 0 ? here : there;
          DeviceBuffer to = i == 0 ? there : here;
          device.queue(0).copy(wait, ends.get(ends.size() - 1).at(1), from, 0, to, 0, 64);
        }
      }
      end.run();
      ends.forEach(each -> awaitFailure(each, 1, status));
      here.close();
      there.close();
    }

    private static void collective(
        Cts cts, Device one, Device two, Fence wait, Status status, Runnable end) {
      List<DeviceBuffer> buffers =
          List.of(one.allocate(4, BufferParams.DEVICE), two.allocate(4, BufferParams.DEVICE));
      List<TimelineSemaphore> ends = List.of(cts.semaphore(one, 0), cts.semaphore(two, 0));
      CollectiveGroup group = CollectiveGroup.of(one, two);
      List<Rank> ranks = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        DeviceBuffer buffer = buffers.get(rank);
        ranks.add(new Rank(rank == 0 ? Fence.NONE : wait, ends.get(rank).at(1), buffer, buffer));
      }
      group.allReduce(Reduction.SUM, ElementType.I32, ranks);
      end.run();
      ends.forEach(each -> awaitFailure(each, 1, status));
      buffers.forEach(DeviceBuffer::close);
      group.close();
    }
  }

  static Stream<Arguments> shared() {
    return Stream.of(Shared.values())
        .flatMap(failure -> Stream.of(Arguments.of(failure, 0), Arguments.of(failure, 1)));
  }

  /** Either device may be closed first, and the other one still works then. */
  @ParameterizedTest
  @MethodSource("shared")
  @Rule({"Q8", "Q10", "G3"})
  @Needs(Need.SECOND_DEVICE)
  void bothDevicesCloseAtOnce(Shared failure, int first, Cts cts) throws Exception {
    List<Device> both = List.of(cts.open(PATIENT), cts.openSecond(PATIENT));
    failure.happen(cts, both.get(0), both.get(1));
    both.forEach(
        device ->
            awaitTrue(
                "the operations of " + device + " to retire",
                () -> device.statistics().openOperations() == 0));
    close(both.get(first));
    Device other = both.get(1 - first);
    try (DeviceBuffer buffer = other.allocate(16, BufferParams.DEVICE)) {
      cts.write(buffer, 0, TestData.bytes(16));
      TestData.assertBytes(TestData.bytes(16), cts.read(buffer), "the other device's buffer");
    }
    close(other);
  }
}
