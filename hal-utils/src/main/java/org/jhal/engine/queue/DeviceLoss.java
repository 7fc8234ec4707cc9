package org.jhal.engine.queue;

import org.jhal.HalException;

/** What a queue tells its device when a native call has shown that the device is lost (rule Q7). */
public interface DeviceLoss {
  /**
   * The device counts as lost from here on, for all its queues; returns the first cause. Runs
   * nothing that a user wrote.
   */
  HalException note(HalException failure);

  /**
   * Fails all that is open on any queue of the device with the first cause. Call it with no lock
   * held, the device not bound and without the drainer's role: users' callbacks run.
   */
  void tell();
}
