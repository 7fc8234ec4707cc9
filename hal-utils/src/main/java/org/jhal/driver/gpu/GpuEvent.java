package org.jhal.driver.gpu;

/**
 * An event of the engine: a native event for which a host thread can sleep, and one for which it
 * cannot. Each recording uses one of them; see {@link GpuStream}.
 *
 * @param <E> a native event
 */
public final class GpuEvent<E> {
  final E blocking;
  final E plain;

  // Written by the thread that issues, when it records; who waits for the event has it from there.
  private volatile E recorded;
  private volatile long position;

  GpuEvent(E blocking, E plain) {
    this.blocking = blocking;
    this.plain = plain;
    this.recorded = plain;
  }

  /** Which of the two was recorded last. */
  E recorded() {
    return recorded;
  }

  boolean isBlocking() {
    return recorded == blocking;
  }

  /** Where in the stream it was recorded last: the how manieth recording of that stream it was. */
  long position() {
    return position;
  }

  void setRecorded(boolean canSleep, long newPosition) {
    recorded = canSleep ? blocking : plain;
    position = newPosition;
  }
}
