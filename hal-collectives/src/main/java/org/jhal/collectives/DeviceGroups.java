// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jhal.CollectiveGroup;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.Lazy;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.collective.Collectives;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.engine.transfer.StagingPool;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a device is a rank of, and the hidden queues on which it serves them.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
final class DeviceGroups<E> implements DeviceCollectives {
  /**
   * Longer than a short native collective takes. Only the issue thread issues native collectives,
   * so one that follows another would otherwise wait for that thread to wake (see
   * docs/results/README.md).
   */
  private static final long ISSUE_SPIN_NANOS = 100_000;

  /** The hidden queue of collectives that go through the host, and a view for their transfers. */
  private record HostQueue<E>(DeferredWorkQueue<E> collectives, DeviceQueue transfers) {}

  private final DeviceCore<E> device;
  private final StagingPool staging;
  private final Function<DeferredWorkQueue<E>, DeviceQueue> transfers; // views of hidden queues
  private final List<GroupLife> groups = new CopyOnWriteArrayList<>();

  // Made for the first group, or collective, that needs them; shared by all.
  private final Lazy<HostQueue<E>> hostQueue = new Lazy<>();
  private final Lazy<DeferredWorkQueue<E>> nativeQueue = new Lazy<>();

  // The latest native collective on this device, until it is over.
  private final AtomicReference<@Nullable NativeCollective<?>> lastNative = new AtomicReference<>();

  /** See {@link Collectives#of}. */
  DeviceGroups(
      DeviceCore<E> device,
      StagingPool staging,
      Function<DeferredWorkQueue<E>, DeviceQueue> transfers) {
    this.device = device;
    this.staging = staging;
    this.transfers = transfers;
  }

  DeviceCore<E> device() {
    return device;
  }

  StagingPool staging() {
    return staging;
  }

  /** The devices of a group's ranks. */
  static List<DeviceCore<?>> devices(List<DeviceGroups<?>> ranks) {
    return ranks.stream().<DeviceCore<?>>map(DeviceGroups::device).toList();
  }

  @Override
  public CollectiveGroup createGroup(
      List<DeviceCollectives> ranks, CollectiveGroup.Options options) {
    return EngineGroup.make(
        ranks.stream().<DeviceGroups<?>>map(rank -> (DeviceGroups<?>) rank).toList(), options);
  }

  /** Takes part in a group from now on. Makes the hidden queue for the first one. */
  void add(GroupLife group) {
    device.checkUsable();
    var unused = hostQueue();
    groups.add(group);
    // A thread that closes or loses the device may have gone through the groups before that.
    if (device.isClosed()) {
      group.deviceCloses(device, System.nanoTime()); // it has no collectives yet
    }
    HalException cause = device.lostCause();
    if (cause != null) {
      group.end(cause);
    }
  }

  void remove(GroupLife group) {
    groups.remove(group);
  }

  /** How many groups the device is in. */
  int size() {
    return groups.size();
  }

  // Queues.

  /**
   * Enqueues a collective whose first device this is.
   *
   * @param natives what carries it out, or null if it goes through the host
   * @param buffers that take part, of any devices
   */
  void enqueue(
      GroupLife group,
      @Nullable NativeGroup<?> natives,
      CollectiveRequest request,
      Fence waits,
      Fence signals,
      List<EngineBuffer> buffers) {
    Collective<E> made =
        natives == null
            ? new HostCollective<>(device, group, request)
            : new NativeCollective<>(device, group, natives, request);
    enqueue(natives == null ? hostQueue().collectives() : natives(), made, waits, signals, buffers);
  }

  // Not private: tests enqueue collectives of their own.
  void enqueue(
      DeferredWorkQueue<E> queue,
      Collective<E> made,
      Fence waits,
      Fence signals,
      List<EngineBuffer> buffers) {
    Checks.fences(waits, signals);
    device.checkOpen();
    try (made) {
      made.begin(queue.enqueuer(), false);
      for (EngineBuffer buffer : buffers) {
        made.retainForeign(buffer);
      }
      made.capture(waits, signals);
      made.group.add(made); // last: from here on, the end of the group fails it
      made.submitCaptured();
    }
  }

  /** Where the transfers of collectives are enqueued, which go on while the device is closing. */
  DeviceQueue transfers() {
    return hostQueue().transfers();
  }

  private HostQueue<E> hostQueue() {
    return hostQueue.get(() -> device.calls().call(this::createHostQueue));
  }

  private HostQueue<E> createHostQueue() {
    DeferredWorkQueue<E> queue = device.startHidden(0, "-group", 0);
    return new HostQueue<>(queue, transfers.apply(queue));
  }

  /** Where the native collectives are enqueued whose first device this is. */
  DeferredWorkQueue<E> natives() {
    return nativeQueue.get(
        () -> device.calls().call(() -> device.startHidden(1, "-collectives", ISSUE_SPIN_NANOS)));
  }

  /** The latest native collective on this device, until it is over. */
  AtomicReference<@Nullable NativeCollective<?>> lastNative() {
    return lastNative;
  }

  /**
   * Has the driver make a native group of this device, as the first one, and others. Blocks.
   *
   * @param patience how long it may take, in nanoseconds
   * @throws HalException if it cannot be made, with the reason
   */
  NativeGroup<E> createNatives(List<DeviceBackend<?>> ranks, long patience) {
    return device.calls().call(() -> device.backend().createGroup(ranks, patience));
  }

  // How they end.

  @Override
  public void close(long deadline) {
    groups.forEach(group -> group.deviceCloses(device, deadline));
  }

  @Override
  public void giveUp(Duration limit) {
    groups.forEach(group -> group.deviceGivesUp(device, limit));
  }

  @Override
  public void lost(HalException cause) {
    groups.forEach(group -> group.end(cause));
  }
}
