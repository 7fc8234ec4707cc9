package org.jhal.cuda;

import jcuda.driver.CUevent;

/**
 * An event of the engine: a native event for which a host thread can sleep, and one for which it
 * cannot. Each recording uses one of them; see {@link CudaStream}.
 */
final class CudaEvent {
  final CUevent blocking = new CUevent();
  final CUevent plain = new CUevent();

  // Written by the thread that issues, when it records; who waits for the event has it from there.
  private volatile CUevent recorded = plain;
  private volatile long position;

  /** Which of the two was recorded last. */
  CUevent recorded() {
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
