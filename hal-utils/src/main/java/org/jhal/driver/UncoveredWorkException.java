// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by {@link NativeStream#submit} when part of the batch may have reached the stream and no
 * event covers it. When that part ends is then unknown, so the engine loses the device. If the
 * cause has status UNAVAILABLE, nothing runs any more; otherwise the engine keeps what the batch
 * uses until the stream is closed.
 */
public final class UncoveredWorkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String call;

  /**
   * An exception for a batch.
   *
   * @param call the call that has failed, such as {@code recordEvent}, for messages
   * @param cause what it threw
   */
  public UncoveredWorkException(String call, Throwable cause) {
    super(call + " has failed, and no event covers the work before it: " + cause, cause);
    this.call = call;
  }

  /**
   * For an event that could not be recorded behind work.
   *
   * @param failure what recording it has thrown
   * @param earlier why the work has failed before, if it has; the cause if it reports the loss
   */
  public static UncoveredWorkException unrecorded(Throwable failure, @Nullable Throwable earlier) {
    if (earlier instanceof HalException first && first.status() == Status.UNAVAILABLE) {
      return new UncoveredWorkException("issue", first);
    }
    return new UncoveredWorkException("recordEvent", failure);
  }

  /** The call that has failed. */
  public String call() {
    return call;
  }
}
