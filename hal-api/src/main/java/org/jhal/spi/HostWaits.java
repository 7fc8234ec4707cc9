package org.jhal.spi;

import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Refuses host waits on threads that must not wait: a thread that issues or completes work, or that
 * tells of it, might wait for what only it can bring about. Every method that blocks until work is
 * over calls {@link #check}; a wait without any time to wait, which only looks, does not.
 *
 * <p>Waits are refused on all threads of an engine but within host calls, and on any thread within
 * a callback or external work.
 *
 * <p>Thread-safe; each thread has its own state.
 */
public final class HostWaits {
  /**
   * Where waits are refused on this thread, or null; in an array of one, once that was needed. So
   * it keeps no class loader, and restoring it needs no more stack than changing it did.
   */
  private static final ThreadLocal<@Nullable String @Nullable []> REFUSED = new ThreadLocal<>();

  private HostWaits() {}

  /**
   * Refuses waits on this thread until {@link #restore}.
   *
   * @param where what runs on the thread, for the message, such as {@code a callback}
   * @return what to pass to {@link #restore}
   */
  public static @Nullable String refuse(String where) {
    return change(where);
  }

  /**
   * Allows waits on this thread until {@link #restore}.
   *
   * @return what to pass to {@link #restore}
   */
  public static @Nullable String allow() {
    return change(null);
  }

  /** Ends the latest {@link #refuse} or {@link #allow} of this thread, which returned this. */
  public static void restore(@Nullable String before) {
    String ignored = change(before);
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
   * Called before a wait.
   *
   * @throws HalException FAILED_PRECONDITION if waits are refused on this thread
   */
  public static void check() {
    check("a host wait", ", or in a host call");
  }

  /**
   * Called before something else that waits, and that host calls may not do either.
   *
   * @param what it is, for the message
   * @throws HalException FAILED_PRECONDITION if waits are refused on this thread
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
