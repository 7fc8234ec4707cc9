package org.jhal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HalException;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.Once;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jspecify.annotations.Nullable;

/**
 * The groups that a device is a rank of, and the hidden queues on which it serves them.
 *
 * <p>Thread-safe.
 *
 * @param <E> the driver's native event
 */
final class DeviceGroups<E> {
  /**
   * Longer than a short native collective takes: only the issue thread issues those, so one that
   * follows another would wait until it wakes (see docs/results/README.md).
   */
  private static final long ISSUE_SPIN_NANOS = 100_000;

  /** The views of the hidden queue of collectives that go through the host. */
  private record HostQueue<E>(EngineQueue<E> collectives, EngineQueue<E> transfers) {}

  private final EngineDevice<E> device;
  private final List<GroupLife> groups = new CopyOnWriteArrayList<>();

  // Made for the first group, or collective, that needs them; shared by all.
  private final Once<HostQueue<E>> hostQueue = new Once<>();
  private final Once<EngineQueue<E>> nativeQueue = new Once<>();

  // The latest native collective on this device, until it is over.
  private final AtomicReference<@Nullable NativeCollective> lastNative = new AtomicReference<>();

  DeviceGroups(EngineDevice<E> device) {
    this.device = device;
  }

  /** Takes part in a group from now on. Makes the hidden queue for the first one. */
  void add(GroupLife group) {
    device.checkUsable();
    var unused = hostQueue();
    groups.add(group);
    // A thread that closes or loses the device may have told the groups before this one was added.
    if (device.isClosed()) {
      group.deviceCloses(device);
    }
    HalException cause = device.lostCause();
    if (cause != null) {
      group.deviceLost(cause);
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

  /** Where the collectives are enqueued whose first device this is. */
  EngineQueue<E> collectives() {
    return hostQueue().collectives();
  }

  /** Where the transfers of collectives are enqueued, which go on while the device is closing. */
  EngineQueue<E> transfers() {
    return hostQueue().transfers();
  }

  private HostQueue<E> hostQueue() {
    return hostQueue.get(() -> device.calls().call(this::createHostQueue));
  }

  private HostQueue<E> createHostQueue() {
    DeferredWorkQueue<E> queue = device.startHidden(0, "-group", 0);
    int index = device.queueCount();
    return new HostQueue<>(
        new EngineQueue<>(device, index, queue, false),
        new EngineQueue<>(device, index, queue, true));
  }

  /** Where the native collectives are enqueued whose first device this is. */
  EngineQueue<E> natives() {
    return nativeQueue.get(() -> device.calls().call(this::createNativeQueue));
  }

  private EngineQueue<E> createNativeQueue() {
    DeferredWorkQueue<E> queue = device.startHidden(1, "-collectives", ISSUE_SPIN_NANOS);
    return new EngineQueue<>(device, device.queueCount() + 1, queue, false);
  }

  /** The latest native collective on this device, until it is over. */
  AtomicReference<@Nullable NativeCollective> lastNative() {
    return lastNative;
  }

  /**
   * Has the driver make what carries out collectives between this device, as the first one, and
   * others. Blocks.
   *
   * @param patience how long it may take, in nanoseconds
   * @throws HalException if it cannot be made, with the reason
   */
  NativeGroup<E> createNatives(List<DeviceBackend<?>> ranks, long patience) {
    @SuppressWarnings("unchecked") // a backend that wraps another one has its events
    DeviceBackend<E> real = (DeviceBackend<E>) device.backend().real();
    return device.calls().call(() -> real.createGroup(ranks, patience));
  }

  // How they end.

  /** Closing has begun: cancels what has not begun. */
  void close() {
    groups.forEach(group -> group.deviceCloses(device));
  }

  /** Closing waits no longer: fails what goes on. */
  void giveUp(Duration limit) {
    groups.forEach(group -> group.deviceGivesUp(device, limit));
  }

  /**
   * The device is lost. Without lambdas: one that is linked for the first time while the stack runs
   * out never works again.
   */
  void lost(HalException cause) {
    for (GroupLife group : groups) {
      group.deviceLost(cause);
    }
  }
}
