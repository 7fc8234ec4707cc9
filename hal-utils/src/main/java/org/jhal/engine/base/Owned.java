// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * What a handle of a user owns. It keeps its {@link Owner} reachable, and the device keeps it
 * reachable itself while there is something to leak: until nothing uses it and what is native of it
 * has ended. Either may come first, since closing the device ends what may still have an owner.
 */
public abstract class Owned extends RefCounted {
  private static final VarHandle IS_ENDING =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "isEnding", VarHandle.class, Owned.class, boolean.class);

  private final LiveOwned live; // where the device keeps it

  // Links in `live`, guarded by its monitor.
  @Nullable Owned previousLive;
  @Nullable Owned nextLive;
  boolean isLive;

  private @Nullable Owner owner; // written before any other thread sees this object

  // Each becomes true once, on any thread.
  private volatile boolean isUnused; // the last reference is gone
  private volatile boolean isEnding; // by compare-and-set
  private volatile boolean hasEnded; // endNative() has returned

  /** For a resource that its device keeps in {@code live}. */
  protected Owned(LiveOwned live) {
    this.live = live;
  }

  /** Makes the owner, on behalf of {@code handle}, who takes over the first reference. */
  public final Owner ownedBy(Object handle, boolean tracesLeaks) {
    Owner made = new Owner(handle, this, tracesLeaks);
    owner = made;
    live.add(this);
    return made;
  }

  final Owner owner() {
    return Objects.requireNonNull(owner);
  }

  /** What it is, such as {@code a buffer of 64 bytes of mock-0}, for messages. */
  protected abstract String describe();

  /** Whether nothing is leaked even if the handle is never closed. */
  protected boolean isSpent() {
    return false;
  }

  @Override
  protected final void destroy() {
    isUnused = true;
    try {
      unused();
    } finally {
      forgetIfOver();
    }
  }

  /** Nothing uses it any more: calls {@link #endOnce}, with the device bound if that is needed. */
  protected void unused() {
    endOnce();
  }

  /** Ends what is native of it, with the last reference or as the device is being closed. */
  protected final void endOnce() {
    if (IS_ENDING.compareAndSet(this, false, true)) {
      try {
        endNative();
      } finally {
        hasEnded = true;
      }
    }
  }

  /** Ends what is native of it. Called once. */
  protected abstract void endNative();

  protected final boolean isUnused() {
    return isUnused;
  }

  protected final boolean hasEnded() {
    return hasEnded;
  }

  /** Forgets it when both are over. The device is not bound. */
  protected void forgetIfOver() {
    // isLive without the monitor: it was added before anybody used it, and is removed for good.
    if (isUnused && hasEnded && isLive) {
      live.remove(this);
    }
  }
}
