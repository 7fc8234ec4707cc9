// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jhal.examples.fractal.FractalRun;
import org.jspecify.annotations.Nullable;

/** The picture of {@code hal fractal}, by one or by two devices of a driver. */
final class SplitPicture implements Subject {
  static final String SPEED = "Mpixel/s";

  /** The metrics of a sample; the ratio of the second one to that of one device is the speed-up. */
  static final List<String> METRICS = List.of("time", SPEED);

  private static final int NOT_WRITTEN = -1; // not the value of any colour

  private final String name;
  private final Bench bench;
  private final boolean isSplit;
  private final int width;
  private final int height;
  private @Nullable FractalRun run; // once it is prepared

  /**
   * Allocates nothing yet.
   *
   * @param name how reports call it
   * @param isSplit whether there is a second device
   * @param width of the picture, which has three quarters as many rows
   */
  SplitPicture(String name, Bench bench, boolean isSplit, int width) {
    this.name = name;
    this.bench = bench;
    this.isSplit = isSplit;
    this.width = width;
    this.height = Math.max(1, width * 3 / 4);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare() throws NotAvailableException {
    List<Device> devices = new ArrayList<>();
    devices.add(bench.deviceThatSpins(DispatchWork.SPINNING));
    if (isSplit) {
      devices.add(SecondDevice.open(bench, DispatchWork.SPINNING));
    }
    try {
      run = new FractalRun(devices, FractalRun.KERNELS, width, height);
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED) {
        throw e;
      }
      throw new NotAvailableException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public double[] sample() throws InterruptedException {
    FractalRun picture = Objects.requireNonNull(run);
    Arrays.fill(picture.pixels(), NOT_WRITTEN);
    long nanos = picture.compute();
    for (int pixel : picture.pixels()) {
      if (pixel == NOT_WRITTEN) {
        throw new IllegalStateException("a pixel of the picture was not computed");
      }
    }
    return new double[] {nanos, 1e3 * width * height / nanos};
  }

  @Override
  public void close() {
    if (run != null) {
      run.close();
      run = null;
    }
  }
}
