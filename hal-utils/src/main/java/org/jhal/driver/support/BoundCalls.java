// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.ThreadBinding;

/** Makes calls with a device bound to the thread, where the engine has not bound it already. */
public final class BoundCalls {
  private BoundCalls() {}

  /**
   * Calls {@code body} with the device bound.
   *
   * @throws HalException what {@code body} throws; UNAVAILABLE if the device cannot be bound or
   *     unbound, which counts as its loss (rule Q7a)
   */
  public static void run(ThreadBinding device, Runnable body) {
    long token;
    try {
      token = device.bindToThread();
    } catch (HalException e) {
      throw asLoss(e);
    }
    try {
      body.run();
    } finally {
      try {
        device.unbindFromThread(token);
      } catch (HalException e) {
        throw asLoss(e);
      }
    }
  }

  /** The failure of a call that means the loss of the device whatever its status. */
  public static HalException asLoss(HalException failure) {
    return failure.status() == Status.UNAVAILABLE
        ? failure
        : new HalException(Status.UNAVAILABLE, failure.getMessage(), failure);
  }
}
