package org.jhal.engine.base;

import java.util.Objects;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * What a handle of a user owns. It keeps its {@link Owner} reachable, and the device keeps it
 * reachable itself while there is something to leak.
 */
public abstract class Owned extends RefCounted {
  // Links in LiveOwned, guarded by its monitor.
  @Nullable Owned previousLive;
  @Nullable Owned nextLive;
  boolean isLive;

  private @Nullable Owner owner; // written before any other thread sees this object

  /** Makes the owner, on behalf of {@code handle}, who takes over the first reference. */
  public final Owner ownedBy(Object handle, boolean tracesLeaks) {
    Owner made = new Owner(handle, this, tracesLeaks);
    owner = made;
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

  /**
   * Ends what is native of it, as its device is being closed and nothing uses it any more. The
   * device is bound.
   */
  protected void endWithDevice() {}

  /** Does what is left when both its last user and {@link #endWithDevice} are through. */
  protected void endIfOver() {}
}
