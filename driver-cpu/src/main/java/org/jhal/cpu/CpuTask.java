package org.jhal.cpu;

import org.jhal.HalException;
import org.jhal.Status;

/** A step of a stream, whose operands are known. It throws nothing. */
interface CpuTask {
  void run();

  /** What it does may throw anything, which fails one operation. */
  interface Body {
    void run() throws Throwable;
  }

  /** What {@code what} threw, as a failure. */
  static HalException failure(String what, Throwable thrown) {
    return thrown instanceof HalException failure
        ? failure
        : new HalException(Status.ABORTED, what + " threw " + thrown, thrown);
  }

  static CpuTask of(CpuTask task) {
    return task;
  }
}
