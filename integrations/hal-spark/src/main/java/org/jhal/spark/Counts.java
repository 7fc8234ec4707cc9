// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the work of an executor's tasks on its devices, for Spark's metrics.
 *
 * <p>Thread-safe.
 */
final class Counts {
  private final LongAdder batches = new LongAdder();
  private final LongAdder bytesToDevice = new LongAdder();
  private final LongAdder bytesFromDevice = new LongAdder();
  private final LongAdder halvings = new LongAdder();
  private final LongAdder permitWaits = new LongAdder();
  private final LongAdder permitWaitNanos = new LongAdder();
  private final LongAdder devicesLost = new LongAdder();

  /** A batch of a partition has gone through a kernel. */
  void batch(long toDevice, long fromDevice) {
    batches.increment();
    bytesToDevice.add(toDevice);
    bytesFromDevice.add(fromDevice);
  }

  /** A device had too little memory for batches, which are half as large from now on. */
  void halved() {
    halvings.increment();
  }

  /** A task has waited for a permit. */
  void waited(long nanos) {
    permitWaits.increment();
    permitWaitNanos.add(nanos);
  }

  /** A device was found lost. */
  void lost() {
    devicesLost.increment();
  }

  long batches() {
    return batches.sum();
  }

  long bytesToDevice() {
    return bytesToDevice.sum();
  }

  long bytesFromDevice() {
    return bytesFromDevice.sum();
  }

  long halvings() {
    return halvings.sum();
  }

  long permitWaits() {
    return permitWaits.sum();
  }

  long permitWaitNanos() {
    return permitWaitNanos.sum();
  }

  long devicesLost() {
    return devicesLost.sum();
  }
}
