// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.InstantBackend;
import org.jhal.engine.VirtualThreads;
import org.jhal.engine.VirtualThreads.Step;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** No call of a group that waits does so on the carrier of a virtual thread. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class GroupVirtualThreadTest {
  private final List<EngineDevice<?>> devices = new ArrayList<>(); // which the test closes

  @AfterEach
  void closeDevices() {
    devices.forEach(EngineDevice::close);
  }

  private EngineDevice<Object> open(InstantBackend slow) {
    EngineDevice<Object> device = slow.open(1, Duration.ofMinutes(5));
    devices.add(device);
    return device;
  }

  /** Each waits for the driver. */
  @Test
  void makingGroupsDoesNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    List<Step> makes = new ArrayList<>();
    for (int i = 0; i < VirtualThreads.TOO_MANY; i++) {
      InstantBackend slow = new InstantBackend();
      EngineDevice<Object> device = open(slow);
      slow.atCall =
          call -> {
            if (call.equals("createGroup")) {
              waiting.incrementAndGet();
              VirtualThreads.await(go, "a call beside the makes");
            }
          };
      makes.add(() -> CollectiveGroup.of(device).close());
    }
    VirtualThreads.assertOthersGoOn(
        makes,
        () -> Threads.await("all makes", () -> waiting.get() == VirtualThreads.TOO_MANY),
        go);
  }

  private CollectiveGroup group(FakeGroup natives) {
    InstantBackend backend = new InstantBackend();
    backend.natives = natives;
    return CollectiveGroup.of(open(backend));
  }

  /** Each waits for a running collective. */
  @Test
  void closesOfGroupsDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    List<CollectiveGroup> groups = new ArrayList<>();
    for (int i = 0; i < VirtualThreads.TOO_MANY; i++) {
      FakeGroup natives = new FakeGroup(rank -> true);
      natives.atIssue =
          () -> {
            running.incrementAndGet();
            VirtualThreads.await(go, "a call beside the closes");
          };
      CollectiveGroup group = group(natives);
      groups.add(group);
      DeviceBuffer source = group.devices().get(0).allocate(64, BufferParams.DEVICE);
      DeviceBuffer target = group.devices().get(0).allocate(64, BufferParams.DEVICE);
      group.broadcast(0, List.of(new Rank(Fence.NONE, Fence.NONE, source, target)));
    }
    Threads.await("all collectives to run", () -> running.get() == VirtualThreads.TOO_MANY);
    VirtualThreads.assertOthersGoOn(
        groups.stream().<Step>map(group -> group::close).toList(),
        () ->
            Threads.await(
                "all closes to begin", () -> groups.stream().allMatch(CollectiveGroup::isClosed)),
        go);
  }

  /** Each waits until the driver has freed its part. */
  @Test
  void freesOfGroupsDoNotDelayOtherVirtualThreads() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger freeing = new AtomicInteger();
    List<Step> closes = new ArrayList<>();
    for (int i = 0; i < VirtualThreads.TOO_MANY; i++) {
      FakeGroup natives = new FakeGroup(rank -> true);
      natives.atClose =
          () -> {
            freeing.incrementAndGet();
            VirtualThreads.await(go, "a call beside the frees");
          };
      closes.add(group(natives)::close);
    }
    VirtualThreads.assertOthersGoOn(
        closes,
        () -> Threads.await("all frees", () -> freeing.get() == VirtualThreads.TOO_MANY),
        go);
  }
}
