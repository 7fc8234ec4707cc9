// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.util.ArrayList;
import java.util.List;
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

  private RankLease(DeviceCore<?> device) {
    this.device = device;
    device.leases().beginCollective();
  }

  /**
   * Holds the devices, without memory.
   *
   * @param devices by rank
   * @throws org.jhal.HalException if one is closed; then none is held
   */
  static List<RankLease> of(List<DeviceCore<?>> devices) {
    List<RankLease> leases = new ArrayList<>(devices.size());
    boolean isDone = false;
    try {
      for (DeviceCore<?> device : devices) {
        leases.add(new RankLease(device));
      }
      isDone = true;
      return leases;
    } finally {
      if (!isDone) {
        leases.forEach(RankLease::release);
      }
    }
  }

  /** Holds the memory of a buffer of a collective, too. */
  void retain(@Nullable EngineBuffer buffer) {
    if (buffer != null && buffer.storage.tryRetain()) { // its operation has retained it, too
      memory.add(buffer.storage);
    }
  }

  /** The stream is past it. Called once. */
  void release() {
    memory.forEach(BufferStorage::release);
    device.leases().endUse();
  }
}
