// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

/**
 * A step of a stream, whose operands are known. One of its two methods is called, once, by the
 * stream's thread. What it throws loses the device.
 */
interface CpuTask {
  /** Does the step, and releases what it holds. */
  void run();

  /** Only releases what it holds: the device is lost. */
  default void drop() {}

  /** What it does may throw anything, which fails one operation. */
  interface Body {
    void run() throws Throwable;
  }

  static CpuTask of(CpuTask task) {
    return task;
  }

  /** A task that releases something; a lost device does so as well. */
  static CpuTask releasing(Runnable release) {
    return new CpuTask() {
      @Override
      public void run() {
        release.run();
      }

      @Override
      public void drop() {
        release.run();
      }
    };
  }
}
