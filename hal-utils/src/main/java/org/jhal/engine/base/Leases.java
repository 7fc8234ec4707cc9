// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.concurrent.Gate;

/**
 * What goes on elsewhere and needs this device: copies between devices, collectives, and operations
 * that use its memory. Its close waits for them (rule Q8).
 *
 * <p>Thread-safe.
 */
public final class Leases {
  /** Copies by other devices' queues, and collectives, are inside. For the one that closes. */
  public final Gate copies = new Gate();

  /** Operations of other devices that use this device's memory are inside. Likewise. */
  public final Gate uses = new Gate();

  private final String device;
  private final BackendCalls calls;

  Leases(String device, BackendCalls calls) {
    this.device = device;
    this.calls = calls;
  }

  /**
   * Starts a copy that was enqueued on another device. Closing this device waits for {@link
   * #endCopy}, and its queues keep accepting the copy's chunks until then.
   */
  public void beginCopy() {
    enter(copies);
  }

  private void enter(Gate gate) {
    if (!gate.tryEnter()) {
      throw calls.closedFailure();
    }
  }

  public void endCopy() {
    copies.leave();
  }

  /**
   * Starts to use this device's memory on another one. Closing this device waits for {@link
   * #endUse}.
   *
   * @param isPart whether it is for a part of an operation that has begun before
   */
  public void beginUse(boolean isPart) {
    // A close shuts the gate only once it has cancelled what was not issued.
    if (isPart ? !uses.tryEnterPart() : calls.isShut() || !uses.tryEnter()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "device " + device + ", whose memory is used, is closed");
    }
  }

  /** As {@link #beginUse}, for a collective that has begun, or a group that is made. */
  public void beginCollective() {
    enter(uses);
  }

  public void endUse() {
    uses.leave();
  }
}
