package org.jhal.gpu;

/**
 * An event as the engine sees it. It consists of two native events: one on which a host thread can
 * sleep, and a plain one. Each recording uses one of them; see {@link GpuStream}.
 *
 * @param <E> a native event
 */
public final class GpuEvent<E> {
  final E blocking;
  final E plain;

  // Written by the thread that issues, when it records. Threads that wait for the event read them.
  private volatile E recorded;
  private volatile long position;

  GpuEvent(E blocking, E plain) {
    this.blocking = blocking;
    this.plain = plain;
    this.recorded = plain;
  }

  /** The native event that was recorded last. */
  E recorded() {
    return recorded;
  }

  boolean isBlocking() {
    return recorded == blocking;
  }

  /** The number of its latest recording; the recordings of a stream are counted from 1. */
  long position() {
    return position;
  }

  void setRecorded(boolean canSleep, long newPosition) {
    recorded = canSleep ? blocking : plain;
    position = newPosition;
  }
}
