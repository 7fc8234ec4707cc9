package org.jhal.engine.queue;

import org.jhal.engine.concurrent.Gate;

/**
 * The gate of a queue: threads that enqueue, issue, or look at its events are inside. It is shut
 * before the stream is closed, which waits until all have left.
 */
final class QueueGate extends Gate {
  private final Broken broken;

  QueueGate(Broken broken) {
    this.broken = broken;
  }

  /** As deep as {@link #leave}: a stack that was enough for this is enough for that. */
  @Override
  public boolean tryEnter() {
    return super.tryEnter();
  }

  /** Leaves. A thread that could not leave would stay counted as inside, so the device is lost. */
  @Override
  public void leave() {
    try {
      super.leave();
    } catch (Throwable t) {
      broken.by = t; // no call: there may be no stack left for one
      throw t;
    }
  }
}
