// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.timeline;

import org.jhal.driver.support.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * Runs code of the program on the engine's behalf. Whatever it throws concerns one operation at
 * most, and never the thread that runs it (rules S7, Q11), so it is caught here and returned.
 *
 * <p>Thread-safe. No lock may be held.
 */
public final class ProgramCode {
  private ProgramCode() {}

  /**
   * Runs a callback, in which methods that wait are refused.
   *
   * @param what names it in the message of a refusal
   * @return what it threw, or null
   */
  public static @Nullable Throwable callback(String what, Attempt.Body body) {
    Cascade cascade = Cascade.current();
    String before = cascade.enterCallback(what);
    try {
      return thrownBy(body);
    } finally {
      cascade.leaveCallback(before);
    }
  }

  /** Runs a release callback in the same way. */
  public static @Nullable Throwable releaseCallback(Runnable onRelease) {
    return callback("a release callback", onRelease::run);
  }

  /** Runs a host call, which may wait, in the same way. */
  public static @Nullable Throwable hostCall(Attempt.Body body) {
    Cascade cascade = Cascade.current();
    String before = cascade.enterHostCall();
    try {
      return thrownBy(body);
    } finally {
      cascade.leaveCallback(before);
    }
  }

  /** Runs what is no callback, such as the read of a channel, in the same way. */
  public static @Nullable Throwable thrownBy(Attempt.Body body) {
    return Attempt.ofThrowing(body);
  }
}
