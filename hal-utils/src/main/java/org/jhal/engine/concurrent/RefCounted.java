package org.jhal.engine.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A resource that lives until its owner closed it and nothing uses it any more (rule Q3). The owner
 * holds the first reference, everything that uses it holds one meanwhile.
 *
 * <p>Thread-safe.
 */
public abstract class RefCounted {
  private static final VarHandle REFERENCES;

  static {
    try {
      REFERENCES = MethodHandles.lookup().findVarHandle(RefCounted.class, "references", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int references = 1;

  /** Takes a reference unless the last one is gone. */
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

  /** Drops {@code count} references at once. */
  public final void release(int count) {
    if ((int) REFERENCES.getAndAdd(this, -count) == count) {
      destroy();
    }
  }

  /** The last reference is gone. On whatever thread that happened, with no lock held. */
  protected abstract void destroy();
}
