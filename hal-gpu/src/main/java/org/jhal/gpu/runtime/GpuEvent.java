package org.jhal.gpu.runtime;

/**
 * An event as the engine sees it. It consists of two native events: one on which a host thread can
 * sleep, and a plain one. Each recording uses one of them; see {@code GpuStream}.
 *
 * @param <E> a native event
 */
public final class GpuEvent<E> {
  private final E blocking;
  private final E plain;

  // Written by the thread that issues, when it records. Threads that wait for the event read them.
  private volatile E recorded;
  private volatile long position;

  public GpuEvent(E blocking, E plain) {
    this.blocking = blocking;
    this.plain = plain;
    this.recorded = plain;
  }

  /** The native event on which a host thread can sleep. */
  public E blocking() {
    return blocking;
  }

  /** The other native event. */
  public E plain() {
    return plain;
  }

  /** The native event that was recorded last. */
  public E recorded() {
    return recorded;
  }

  public boolean isBlocking() {
    return recorded == blocking;
  }

  /** The number of its latest recording; the recordings of a stream are counted from 1. */
  public long position() {
    return position;
  }

  public void setRecorded(boolean canSleep, long newPosition) {
    recorded = canSleep ? blocking : plain;
    position = newPosition;
  }
}
