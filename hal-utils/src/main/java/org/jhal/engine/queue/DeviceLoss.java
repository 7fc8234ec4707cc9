// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/** How a queue reports to its device that a native call has lost it (rule Q7). Thread-safe. */
public interface DeviceLoss {
  /** Why the device is lost, or null. It never becomes null again. */
  @Nullable HalException cause();

  /**
   * Marks the device as lost for all its queues, and {@linkplain DeviceEnd#begin as gone}. Returns
   * the first cause. Runs no users' code, so it may be called with the device bound.
   */
  HalException note(HalException failure);

  /**
   * Fails everything that is open on any queue of the device with the first cause. Users' callbacks
   * run: call it with no lock held, without the drainer's role, and not while the device is bound
   * for a single native call. The completion thread, to which it is bound permanently, may call it.
   */
  void propagate();
}
