// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import com.google.common.base.Throwables;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/** Calls what may fail in any way, where the caller goes on all the same. */
public final class Attempt {
  /** What may throw anything. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run() throws Throwable;
  }

  private Attempt() {}

  /**
   * Calls {@code body}.
   *
   * @return what it has thrown, or null
   */
  public static @Nullable Throwable of(Runnable body) {
    try {
      body.run();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  /** Calls all of them, and then throws what the first of those that failed has thrown, if any. */
  public static void all(Iterable<? extends Runnable> bodies) {
    Throwable first = null;
    for (Runnable body : bodies) {
      Throwable thrown = of(body);
      first = first == null ? thrown : first;
    }
    if (first != null) {
      Throwables.throwIfUnchecked(first); // it always is
    }
  }

  /** As {@link #of}. */
  public static @Nullable Throwable ofThrowing(Body body) {
    try {
      body.run();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  /**
   * For what a kernel or other code of the program threw: itself if it is a {@link HalException},
   * otherwise RESOURCE_EXHAUSTED for a lack of memory or threads, with the reason even if something
   * else wraps that, or ABORTED, with it as the cause. One that throws when it is asked what it is
   * appears by its class only, as it would throw again when the failure is printed.
   *
   * @param what the message up to what was thrown
   */
  public static HalException aborted(String what, Throwable thrown) {
    if (thrown instanceof HalException failure) {
      return failure;
    }
    boolean isShortage =
        thrown instanceof OutOfMemoryError
            || (thrown instanceof Exception && HostFailures.isExhausted(thrown));
    String[] text = {thrown.getClass().getName()};
    boolean isMute =
        of(
                () -> {
                  String own = thrown.toString();
                  text[0] = isShortage ? HostFailures.reason(thrown) : own;
                })
            != null;
    Status status = isShortage ? Status.RESOURCE_EXHAUSTED : Status.ABORTED;
    return new HalException(status, what + text[0], isMute ? null : thrown);
  }
}
