package org.jhal.cpu;

import org.jhal.driver.Submission;

/** A step of a stream, whose operands are known. It throws nothing. */
interface CpuTask {
  void run();

  /** What it does may throw anything, which fails one operation. */
  interface Body {
    void run() throws Throwable;
  }

  static CpuTask of(CpuTask task) {
    return task;
  }

  /** A task that may fail. */
  static CpuTask failing(Submission submission, Body body) {
    return () -> {
      try {
        body.run();
      } catch (Throwable t) { // it fails its operation and nothing else
        submission.fail(CpuStream.failure(t));
      }
    };
  }
}
