// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.lang.System.Logger.Level;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * A user's reference to a resource. It is released once: when the user closes the handle, or when
 * the handle has become unreachable, which is reported as a leak (rule M7).
 *
 * <p>It is a phantom reference to the handle, and only works while it is reachable itself. The
 * device keeps it reachable while there is something to leak. After that it is ordinary garbage,
 * and the collector never has to enqueue it.
 *
 * <p>Thread-safe.
 */
public final class Owner extends PhantomReference<Object> {
  private static final System.Logger LOG = System.getLogger(Owner.class.getName());
  private static final VarHandle IS_CLOSED =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "isClosed", VarHandle.class, Owner.class, boolean.class);

  /** What the names of the classes between the user and this one begin with. */
  private static final Pattern ENGINE =
      Pattern.compile("org\\.jhal\\.([A-Z]|engine\\.|driver\\.support\\.)");

  private final Owned resource;
  private final @Nullable Throwable madeAt; // null without leaks=trace
  private volatile boolean isClosed; // set once, by compare-and-set

  /**
   * Owns {@code resource} on behalf of {@code handle}, and takes over its first reference.
   *
   * @param tracesLeaks whether a report of a leak says where the handle was made
   */
  Owner(Object handle, Owned resource, boolean tracesLeaks) {
    super(handle, Reclaimer.UNREACHABLE);
    this.resource = resource;
    this.madeAt = tracesLeaks ? callOfUser("it was made here") : null;
  }

  /** A stack trace that starts at the user's call, without the engine's own frames. */
  private static Throwable callOfUser(String text) {
    Throwable made = new Throwable(text);
    made.setStackTrace(
        Arrays.stream(made.getStackTrace())
            .dropWhile(frame -> ENGINE.matcher(frame.getClassName()).lookingAt())
            .toArray(StackTraceElement[]::new));
    return made;
  }

  public boolean isClosed() {
    return isClosed;
  }

  /**
   * Called for the user. The caller keeps the handle reachable until this returns: a collector that
   * ran before {@link #isClosed} is set would have it reported as a leak.
   */
  public void close() {
    if (IS_CLOSED.compareAndSet(this, false, true)) {
      resource.release();
    }
  }

  /** Called when the handle has become unreachable. Reports a leak unless the handle was closed. */
  void reclaim() {
    if (!isClosed && !resource.isSpent()) {
      String how = madeAt == null ? " (use the option leaks=trace to see where it was made)" : "";
      Failures.log(
          LOG,
          Level.WARNING,
          resource.describe() + " was never closed; reclaiming it" + how,
          madeAt);
    }
    close();
  }
}
