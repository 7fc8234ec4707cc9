// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.ints;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Task;
import org.junit.jupiter.api.Test;

/** Calls of other threads while collectives run (rule G6). */
@CtsSuite
@Needs(Need.SECOND_DEVICE)
class CollectiveBesideTest {
  private static final int ROUNDS = 50;

  /** What a thread does repeatedly on a device. */
  private interface Call {
    void on(Device device);
  }

  /** Runs collectives one after the other, while one thread for each device repeats the call. */
  private static void besides(Cts cts, Call call) throws Exception {
    GroupFixture group = new GroupFixture(cts);
    List<DeviceBuffer> sums = new ArrayList<>();
    for (Device device : group.devices) {
      DeviceBuffer sum = cts.buffer(device, 4, BufferParams.DEVICE);
      cts.write(sum, 0, ints(1));
      sums.add(sum);
    }
    AtomicBoolean isOver = new AtomicBoolean();
    List<Task<?>> tasks = new ArrayList<>();
    for (Device device : group.devices) {
      tasks.add(
          Task.run(
              "beside-" + tasks.size(),
              () -> {
                do {
                  call.on(device);
                } while (!isOver.get());
              }));
    }
    TimelineSemaphore timeline = cts.semaphore();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        List<Rank> ranks = new ArrayList<>();
        for (DeviceBuffer sum : sums) {
          ranks.add(new Rank(timeline.at(round), timeline.at(round + 1), sum, sum));
        }
        group.group.allReduce(Reduction.MAX, ElementType.I32, ranks);
        awaitReached(timeline, round + 1);
      }
    } finally {
      isOver.set(true);
    }
    for (Task<?> task : tasks) {
      Object unused = task.join();
    }
    for (DeviceBuffer sum : sums) {
      assertBytes(ints(1), cts.read(sum), "the maximum");
    }
  }

  @Test
  @Rule("G6")
  void collectivesEndWhileMemoryIsAllocatedAndFreed(Cts cts) throws Exception {
    besides(
        cts,
        device -> {
          device.allocate(1 << 16, BufferParams.DEVICE).close();
          device.allocate(1 << 16, BufferParams.HOST).close();
          device.allocate(1 << 16, BufferParams.HOST_UPLOAD).close();
        });
  }

  @Test
  @Rule("G6")
  @Needs(value = Need.SECOND_DEVICE, capabilities = Capability.HOST_IMPORT)
  void collectivesEndWhileHostMemoryIsImportedAndReleased(Cts cts) throws Exception {
    besides(
        cts,
        device ->
            device
                .allocator()
                .importHost(ByteBuffer.allocateDirect(1 << 13), BufferParams.HOST, () -> {})
                .close());
  }

  @Test
  @Rule("G6")
  void collectivesEndWhileKernelsAreLoadedAndClosed(Cts cts) throws Exception {
    besides(
        cts,
        device -> {
          Executable loaded = device.loadExecutable(cts.backend().kernels().get(0));
          loaded.close();
        });
  }

  @Test
  @Rule("G6")
  void collectivesEndWhileRecordingsAreCreatedAndRun(Cts cts) throws Exception {
    besides(
        cts,
        device -> {
          try (DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
              TimelineSemaphore timeline = device.createSemaphore(0);
              CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
            for (int i = 0; i < 16; i++) {
              commands.fill(buffer, 4L * i, 4, FillPattern.of32(i));
            }
            commands.end();
            for (int use = 0; use < 3; use++) {
              device.queue(0).execute(timeline.at(use), timeline.at(use + 1), commands);
            }
            awaitReached(timeline, 3);
          }
        });
  }

  @Test
  @Rule("G6")
  void collectivesEndWhileGroupsAreCreatedAndClosed(Cts cts) throws Exception {
    besides(
        cts,
        device -> {
          try (TimelineSemaphore done = device.createSemaphore(0);
              DeviceBuffer buffer = device.allocate(4, BufferParams.DEVICE);
              CollectiveGroup own = CollectiveGroup.of(device)) {
            own.allReduce(
                Reduction.SUM,
                ElementType.I32,
                List.of(new Rank(Fence.NONE, done.at(1), buffer, buffer)));
            awaitReached(done, 1);
          }
        });
  }
}
