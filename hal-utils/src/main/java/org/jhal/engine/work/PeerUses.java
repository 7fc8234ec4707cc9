// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.BufferStorage;
import org.jspecify.annotations.Nullable;

/**
 * The memory of other devices that one operation uses. It holds these devices from its issue until
 * it retires, and their close waits for that before it frees the memory (rule S9b).
 *
 * <p>Used by one thread at a time, like the work of the operation.
 */
final class PeerUses {
  private final DeviceCore<?> device; // the operation's
  private final List<BufferStorage> storages = new ArrayList<>(2); // each stands for another one
  private final ArrayList<DeviceCore<?>> held = new ArrayList<>(2);

  PeerUses(DeviceCore<?> device) {
    this.device = device;
  }

  /** Adds memory, before the operation is submitted. */
  void add(BufferStorage storage) {
    storages.add(storage);
  }

  private static DeviceCore<?> owner(BufferStorage storage) {
    return storage.home().device;
  }

  /** Whether the stream accesses the memory; else it is one side of a copy through the host. */
  private boolean isAccessed(BufferStorage storage) {
    return owner(storage) != device && storage.device == device;
  }

  /** Whether access to all of the memory is enabled. */
  boolean areEnabled() {
    for (BufferStorage storage : storages) {
      if (isAccessed(storage) && !device.peers().isEnabled(owner(storage))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Holds the devices that are not held already, and enables access to the memory. Called while the
   * operation is issued, with the device bound.
   *
   * @param isPart whether it is part of an operation that holds the devices, which may then be
   *     closing
   * @throws HalException FAILED_PRECONDITION if one is closed or lost; the failure of enabling
   *     access
   */
  void begin(boolean isPart) {
    for (BufferStorage storage : storages) {
      DeviceCore<?> owner = owner(storage);
      if (owner == device) {
        continue;
      }
      if (!held.contains(owner)) {
        hold(owner, isPart);
      }
      HalException cause = owner.lostCause();
      if (cause != null) {
        throw lostOwner(owner, cause);
      }
      if (isAccessed(storage)) {
        device.peers().enable(owner);
      }
    }
  }

  private static HalException lostOwner(DeviceCore<?> owner, HalException cause) {
    return new HalException(
        Status.FAILED_PRECONDITION,
        "device " + owner.name() + ", whose memory is used, is lost: " + cause.getMessage(),
        cause);
  }

  /**
   * Looks for a lost device among those held.
   *
   * @return the failure for the operation, or null
   */
  @Nullable HalException findLoss() {
    for (DeviceCore<?> owner : held) {
      HalException cause = owner.findLoss();
      if (cause != null) {
        return lostOwner(owner, cause);
      }
    }
    return null;
  }

  private void hold(DeviceCore<?> owner, boolean isPart) {
    held.ensureCapacity(held.size() + 1); // first: every held device must be in the list
    owner.leases().beginUse(isPart);
    held.add(owner);
  }

  /** Releases all devices: the operation has retired. */
  void end() {
    for (int i = held.size() - 1; i >= 0; i--) {
      held.remove(i).leases().endUse();
    }
  }
}
