// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.host;

import java.util.Objects;
import org.jhal.Device;
import org.jhal.DeviceQueue;
import org.jhal.TimelineSemaphore;
import org.jhal.bench.measure.Bench;
import org.jspecify.annotations.Nullable;

/** {@link DependentWork} on a queue: barriers, so that the device has nothing to do. */
final class DependentSubmissions extends DependentWork {
  private final Device device;
  private final DeviceQueue queue;
  private @Nullable TimelineSemaphore gate;
  private @Nullable TimelineSemaphore done;

  DependentSubmissions(Device device, Shape shape, int size, int repeats) {
    super(shape, size, repeats);
    this.device = device;
    this.queue = device.queue(0);
  }

  @Override
  public String name() {
    return JHAL;
  }

  @Override
  void begin() {
    gate = device.createSemaphore(0);
    done = device.createSemaphore(0);
  }

  @Override
  void park() {
    TimelineSemaphore waited = Objects.requireNonNull(gate);
    TimelineSemaphore signalled = Objects.requireNonNull(done);
    if (shape == Shape.CHAIN) {
      queue.barrier(waited.at(1), signalled.at(1));
      for (int i = 1; i < size; i++) {
        queue.barrier(signalled.at(i), signalled.at(i + 1));
      }
    } else {
      for (int i = 1; i <= size; i++) {
        queue.barrier(waited.at(i), signalled.at(i));
      }
    }
  }

  @Override
  void release() throws InterruptedException {
    TimelineSemaphore waited = Objects.requireNonNull(gate);
    switch (shape) {
      case ONE_BY_ONE -> {
        for (int i = 1; i <= size; i++) {
          waited.signal(i);
        }
      }
      case ALL_AT_ONCE -> waited.signal(size);
      case CHAIN -> waited.signal(1);
    }
    Objects.requireNonNull(done).await(size, Bench.DEADLINE);
  }

  @Override
  void end() {
    Objects.requireNonNull(gate).close();
    Objects.requireNonNull(done).close();
    gate = null;
    done = null;
  }
}
