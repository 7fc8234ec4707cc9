package org.jhal.spi;

import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * Refuses host waits on threads that must not wait: a thread that issues work might wait for what
 * only it can issue. Every method that blocks until a timeline or the end of a borrow is reached
 * calls {@link #check}; a wait without any time to wait, which only looks, does not.
 *
 * <p>Thread-safe; each thread has its own state.
 */
public final class HostWaits {
  /** Why waits are refused on this thread, or null. A string, so that it keeps no class loader. */
  private static final ThreadLocal<@Nullable String> REFUSED = new ThreadLocal<>();

  private HostWaits() {}

  /**
   * Refuses waits on this thread until {@link #allow}.
   *
   * @param where what runs on the thread, for the message
   */
  public static void refuse(String where) {
    REFUSED.set(where);
  }

  /** Ends {@link #refuse}. */
  public static void allow() {
    REFUSED.remove();
  }

  /**
   * Called before a wait.
   *
   * @throws HalException FAILED_PRECONDITION if waits are refused on this thread
   */
  public static void check() {
    String where = REFUSED.get();
    if (where != null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "a host wait in "
              + where
              + " is refused: it might wait for what only this thread issues");
    }
  }
}
