package org.jhal.engine.group;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The device of a rank, and the memory that a native collective uses there. They are kept while the
 * rank's stream may not be past its part, whatever becomes of the collective's operation, which
 * belongs to the first rank's device (rule G4).
 *
 * <p>Thread-safe.
 */
final class RankLease {
  private final DeviceCore<?> device;
  private final List<BufferStorage> memory = new ArrayList<>(2); // each retained
  private final AtomicBoolean isReleased = new AtomicBoolean();

  private RankLease(DeviceCore<?> device) {
    this.device = device;
    device.leases().beginCollective();
  }

  /**
   * Holds what each rank brings.
   *
   * @param devices by rank
   * @throws org.jhal.HalException if a device is closed; then nothing is held
   */
  static List<RankLease> all(List<DeviceCore<?>> devices, CollectiveRequest request) {
    List<RankLease> holds = new ArrayList<>(devices.size());
    boolean isDone = false;
    try {
      for (int rank = 0; rank < devices.size(); rank++) {
        RankLease hold = new RankLease(devices.get(rank));
        holds.add(hold);
        hold.retain(request.sources()[rank]);
        hold.retain(request.targets()[rank]);
      }
      isDone = true;
      return holds;
    } finally {
      if (!isDone) {
        holds.forEach(RankLease::release);
      }
    }
  }

  private void retain(@Nullable EngineBuffer buffer) {
    if (buffer != null && buffer.storage.tryRetain()) { // its operation has retained it, too
      memory.add(buffer.storage);
    }
  }

  /** The stream is past it. The first call counts. */
  void release() {
    if (isReleased.compareAndSet(false, true)) {
      memory.forEach(BufferStorage::release);
      device.leases().endUse();
    }
  }
}
