// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A resource that lives until its owner has closed it and nothing uses it any more (rule Q3). The
 * owner holds the first reference. Each user holds another one while it uses the resource.
 *
 * <p>Thread-safe.
 */
public abstract class RefCounted {
  private static final VarHandle REFERENCES =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "references", VarHandle.class, RefCounted.class, int.class);

  private volatile int references = 1; // changed by any thread, through the handle

  /** Takes a reference, to be released, unless the last one is gone; returns whether it did. */
  public final boolean tryRetain() {
    int now = references;
    while (now > 0) {
      if (REFERENCES.compareAndSet(this, now, now + 1)) {
        return true;
      }
      now = references;
    }
    return false;
  }

  public final void release() {
    release(1);
  }

  public final void release(int count) {
    if ((int) REFERENCES.getAndAdd(this, -count) == count) {
      destroy();
    }
  }

  /** Called once, on the thread that dropped the last reference, with no lock held. */
  protected abstract void destroy();
}
