// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.group;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitTrue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.kernels.CtsKernels;
import org.jhal.cts.support.Task;
import org.jhal.simulator.SimulatedCollectives;
import org.jhal.simulator.fixture.NativeDeadline;
import org.jhal.simulator.fixture.SimulatedDevices;
import org.jhal.spi.NativeCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Collectives of a library beside other work: no call that waits for an idle device comes between
 * the launches of two ranks (rule G6). If one does, everything blocks until {@link NativeDeadline}
 * ends the test.
 */
@Timeout(60)
class GpuGroupGateTest {
  private static final Duration GAP = Duration.ofMillis(2);
  private static final int ROUNDS = 25;
  private static final int PAGE = 4096;

  @RegisterExtension final SimulatedDevices sim = new SimulatedDevices();
  private final String name = sim.driver().name();
  private final NativeDeadline deadline = new NativeDeadline();

  @BeforeEach
  final void begin() {
    deadline.begin(sim.simulator());
  }

  @AfterEach
  final void end() {
    deadline.end();
  }

  private SimulatedCollectives collectives() {
    return SimulatedCollectives.of(sim.simulator());
  }

  private Device open(int index) {
    return sim.open(name + "://" + index + "?queues=1&graph=on");
  }

  /** Work that is repeated beside collectives. */
  enum Beside {
    MEMORY {
      @Override
      void run(Device device) {
        device.allocate(1 << 20, BufferParams.DEVICE).close();
        device.allocate(PAGE, BufferParams.HOST).close();
      }
    },
    IMPORT {
      @Override
      void run(Device device) {
        ByteBuffer memory = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).slice(0, PAGE);
        device.allocator().importHost(memory, BufferParams.HOST, null).close();
      }
    },
    KERNELS {
      @Override
      void run(Device device) {
        device.loadExecutable(CtsKernels.bundle()).close();
      }
    },
    GRAPH {
      @Override
      void run(Device device) {
        try (DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
            CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE);
            TimelineSemaphore done = device.createSemaphore(0)) {
          commands.fill(buffer, 0, 64, FillPattern.of8(1));
          commands.end();
          for (int i = 1; i <= 3; i++) {
            device.queue(0).execute(Fence.NONE, done.at(i), commands, BindingTable.EMPTY);
            awaitReached(done, i);
          }
        }
      }
    },
    PAGEABLE {
      @Override
      void run(Device device) {
        byte[] content = new byte[1 << 18];
        try (DeviceBuffer buffer = SummingGroup.buffer(device, content)) {
          assertEquals(content.length, SummingGroup.content(device, buffer).length);
        }
      }
    },
    RUNTIME {
      @Override
      void run(Device device) {
        NativeCalls calls = device.unwrap(NativeCalls.class);
        calls.free(calls.allocate(64));
        calls.destroyStream(calls.createStream());
      }
    },
    EXTERNAL {
      @Override
      void run(Device device) {
        NativeCalls calls = device.unwrap(NativeCalls.class);
        try (TimelineSemaphore done = device.createSemaphore(0)) {
          device
              .queue(0)
              .external(
                  Fence.NONE, done.at(1), List.of(), context -> calls.free(calls.allocate(64)));
          awaitReached(done, 1);
        }
      }
    };

    abstract void run(Device device);
  }

  /** Repeats {@code again} on another thread until {@code body} is over. */
  private static void beside(Task.Action again, Task.Action body) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    Task<?> task =
        Task.run(
            "beside",
            () -> {
              do {
                again.run();
              } while (!isOver.get());
            });
    try {
      body.run();
    } finally {
      isOver.set(true);
    }
    var unused = task.join();
  }

  private static void checkOften(SummingGroup group) {
    for (int i = 0; i < ROUNDS; i++) {
      group.check();
    }
  }

  /** Runs something with both devices again and again, while they carry out collectives. */
  private void goOnBeside(BiConsumer<Device, Device> work) throws Exception {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      collectives().launchGap(GAP);
      beside(() -> work.accept(here, there), () -> checkOften(group));
    }
  }

  @ParameterizedTest
  @EnumSource
  void collectivesCompleteBeside(Beside work) throws Exception {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      collectives().launchGap(GAP);
      beside(() -> work.run(here), () -> beside(() -> work.run(there), () -> checkOften(group)));
    }
  }

  @Test
  void collectivesCompleteBesideOpeningAndClosingDevices() throws Exception {
    goOnBeside(
        (here, there) -> {
          open(0).close();
          open(1).close();
        });
  }

  /** Access is enabled once for each pair of devices, by the first operation that needs it. */
  @Test
  void collectivesCompleteBesideUseOfPeerMemory() throws Exception {
    goOnBeside(
        (here, there) -> {
          try (Device one = sim.open(name + "://0?queues=1&peers=memory");
              Device other = sim.open(name + "://1?queues=1&peers=memory");
              DeviceBuffer theirs = other.allocate(64, BufferParams.DEVICE);
              DeviceBuffer view = one.allocator().importPeer(theirs);
              TimelineSemaphore done = one.createSemaphore(0)) {
            one.queue(0).fill(Fence.NONE, done.at(1), view, 0, 64, FillPattern.of8(1));
            awaitReached(done, 1);
          }
        });
  }

  @Test
  void collectivesCompleteBesideCreatingAndClosingGroups() throws Exception {
    goOnBeside((here, there) -> SummingGroup.checkUsable(there, here));
  }

  /** Pools release the memory that they keep. */
  @Test
  void collectivesCompleteWithScarceMemory() throws Exception {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup group = new SummingGroup(here, there)) {
      sim.simulator().memory(16 << 20);
      collectives().launchGap(GAP);
      beside(
          () -> {
            here.allocate(12 << 20, BufferParams.DEVICE).close();
            here.allocate(15 << 20, BufferParams.DEVICE).close();
          },
          () -> checkOften(group));
    }
  }

  /** Both devices run the collectives in the same order, although their ranks differ. */
  @Test
  void manyThreadsUseGroupsOfTheSameDevices() throws Exception {
    try (Device here = open(0);
        Device there = open(1);
        SummingGroup one = new SummingGroup(here, there);
        SummingGroup two = new SummingGroup(there, here)) {
      collectives().launchGap(Duration.ofNanos(100_000));
      List<Task<?>> tasks = new ArrayList<>();
      for (SummingGroup group : List.of(one, two, one, two)) {
        tasks.add(
            Task.run(
                "caller-" + tasks.size(),
                () -> {
                  for (int i = 0; i < ROUNDS; i++) {
                    for (TimelineSemaphore end : group.startApart(Fence.NONE)) {
                      awaitReached(end, 1);
                      end.close();
                    }
                  }
                }));
      }
      for (Task<?> task : tasks) {
        var unused = task.join();
      }
      one.check();
      two.check();
      assertEquals(4 * ROUNDS + 2, collectives().launches());
    }
  }

  /** Kernels that were loaded before a launch run beside it. */
  @Test
  void kernelsRunWhileAGroupIsLaunchedInPart() throws Exception {
    try (Device here = open(0);
        Device there = open(1);
        Executable kernels = here.loadExecutable(CtsKernels.bundle());
        DeviceBuffer buffer = SummingGroup.buffer(here, new byte[64]);
        SummingGroup group = new SummingGroup(here, there);
        TimelineSemaphore done = here.createSemaphore(0)) {
      collectives().openGap();
      List<TimelineSemaphore> ends = group.start(Fence.NONE);
      awaitTrue("a group launched in part", collectives()::isHalfLaunched);
      here.queue(0)
          .dispatch(
              Fence.NONE,
              done.at(1),
              kernels.kernel("twice"),
              Workgroups.of(1),
              Args.of(buffer.slice(0, 32), buffer.slice(32, 32)));
      awaitReached(done, 1);
      assertTrue(collectives().isHalfLaunched());
      collectives().closeGap();
      ends.forEach(end -> awaitReached(end, 1));
    }
  }
}
