// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Device;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;

/**
 * Dispatches on two devices in turn, each waiting for the one before it, all submitted at once. The
 * host waits for the last.
 */
final class PeerHops implements Subject {
  private final Bench bench;
  private final int steps;
  private final List<Device> devices = new ArrayList<>(); // both, once it is prepared
  private final List<Touch> touches = new ArrayList<>(); // likewise

  PeerHops(Bench bench, int steps) {
    this.bench = bench;
    this.steps = steps;
  }

  @Override
  public String name() {
    return JHAL;
  }

  @Override
  public void prepare() throws NotAvailableException {
    Device first = bench.deviceThatSpins(DispatchWork.SPINNING);
    devices.add(first);
    devices.add(SecondDevice.open(bench, DispatchWork.SPINNING));
    for (Device device : devices) {
      touches.add(new Touch(device, bench.kernels()));
    }
  }

  @Override
  public double[] sample() throws InterruptedException {
    for (Touch touch : touches) {
      touch.clear();
    }
    double time;
    try (TimelineSemaphore done = devices.get(0).createSemaphore(0)) {
      Timepoint[] points = DispatchWork.timepoints(done, steps);
      long start = System.nanoTime();
      for (int i = 1; i <= steps; i++) {
        int side = (i - 1) % 2;
        touches.get(side).submit(devices.get(side).queue(0), points[i - 1], points[i]);
      }
      done.await(steps, Bench.DEADLINE);
      time = (System.nanoTime() - start) / (double) steps;
    }
    touches.get(0).check();
    if (steps > 1) {
      touches.get(1).check();
    }
    return new double[] {time};
  }

  @Override
  public void close() {
    touches.forEach(Touch::close);
    touches.clear();
    devices.clear();
  }
}
