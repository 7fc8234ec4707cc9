// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Rejects host waits on threads that must not wait. A thread that issues or completes work, or that
 * runs callbacks, might otherwise wait for something that only it can bring about. Every method
 * that blocks until work has ended calls {@link #check}. A wait with a timeout of zero or less,
 * which only checks, does not.
 *
 * <p>Waits are rejected on all threads of an engine, except within host calls, and on any thread
 * within a callback or external work.
 *
 * <p>Thread-safe; each thread has its own state.
 */
public final class HostWaits {
  /**
   * The context in which waits are rejected on this thread, or null if they are allowed; in an
   * array of one element, which is created on first use. The array references no class loader, and
   * restoring its element needs no more stack than changing it.
   */
  private static final ThreadLocal<@Nullable String @Nullable []> REFUSED = new ThreadLocal<>();

  private HostWaits() {}

  /**
   * Rejects waits on this thread until {@link #restore}.
   *
   * @param where the context that the thread runs in, for the message, such as {@code a callback}
   * @return the value to pass to {@link #restore}
   */
  public static @Nullable String refuse(String where) {
    return change(where);
  }

  /**
   * Allows waits on this thread until {@link #restore}.
   *
   * @return the value to pass to {@link #restore}
   */
  public static @Nullable String allow() {
    return change(null);
  }

  /**
   * Undoes the latest {@link #refuse} or {@link #allow} of this thread.
   *
   * @param before the value that the call returned
   */
  public static void restore(@Nullable String before) {
    change(before);
  }

  private static @Nullable String change(@Nullable String where) {
    @Nullable String[] known = REFUSED.get();
    if (known == null) {
      known = new @Nullable String[1];
      REFUSED.set(known);
    }
    String before = known[0];
    known[0] = where;
    return before;
  }

  /**
   * Checks that this thread may wait. To be called before a wait.
   *
   * @throws HalException FAILED_PRECONDITION if waits are rejected on this thread
   */
  public static void check() {
    check("a host wait", ", or in a host call");
  }

  /**
   * Checks that this thread may do something else that waits. Unlike for {@link #check()}, the
   * message does not recommend a host call, which must not do it either.
   *
   * @param what the action, for the message
   * @throws HalException FAILED_PRECONDITION if waits are rejected on this thread
   */
  public static void check(String what) {
    check(what, "");
  }

  private static void check(String what, String elsewhere) {
    @Nullable String[] known = REFUSED.get();
    String where = known == null ? null : known[0];
    if (where != null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          what
              + " in "
              + where
              + " on thread "
              + Thread.currentThread().getName()
              + " is refused: it could wait for something that only this thread can do; do it on a"
              + " thread of the program, for example with whenReached(..).thenRunAsync(..)"
              + elsewhere);
    }
  }
}
