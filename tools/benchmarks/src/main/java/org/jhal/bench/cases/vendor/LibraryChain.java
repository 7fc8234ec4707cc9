// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.vendor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.bench.cases.DispatchWork;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.Subject;
import org.jhal.examples.product.Blas;
import org.jspecify.annotations.Nullable;

/**
 * Products of two matrices of ones by the library of the device, each waiting for the one before,
 * and the host for the last. The product's elements are the number of rows.
 */
final class LibraryChain implements Subject {
  private final String name;
  private final Device device;
  private final int rows;
  private final int steps;
  private final List<DeviceBuffer> matrices;
  private @Nullable Blas blas; // once it is prepared

  /** On a device; {@code name} is how reports call it. */
  LibraryChain(String name, Device device, int rows, int steps) {
    this.name = name;
    this.device = device;
    this.rows = rows;
    this.steps = steps;
    this.matrices = List.of(matrix(), matrix(), matrix());
  }

  private DeviceBuffer matrix() {
    return device.allocate(4L * rows * rows, BufferParams.DEVICE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare() throws InterruptedException {
    Blas made = Blas.of(device);
    DeviceQueue queue = device.queue(0);
    FillPattern one = FillPattern.of32(Float.floatToRawIntBits(1));
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      queue.external(Fence.NONE, done.at(1), List.of(), context -> made.open());
      queue.fill(done.at(1), done.at(2), matrices.get(0), 0, matrices.get(0).size(), one);
      queue.fill(done.at(2), done.at(3), matrices.get(1), 0, matrices.get(1).size(), one);
      done.await(3, Bench.DEADLINE);
    }
    blas = made;
  }

  @Override
  public double[] sample() throws InterruptedException {
    Blas library = Objects.requireNonNull(blas);
    DeviceQueue queue = device.queue(0);
    DeviceBuffer a = matrices.get(0);
    DeviceBuffer b = matrices.get(1);
    DeviceBuffer c = matrices.get(2);
    ByteBuffer last = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
    double time;
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      Timepoint[] points = DispatchWork.timepoints(done, steps + 1);
      long start = System.nanoTime();
      for (int i = 1; i <= steps; i++) {
        queue.external(
            points[i - 1],
            points[i],
            matrices,
            context -> library.multiply(context, rows, a, b, c));
      }
      done.await(steps, Bench.DEADLINE);
      time = (System.nanoTime() - start) / (double) steps;
      queue.readback(points[steps], points[steps + 1], c, c.size() - 4, last);
      done.await(steps + 1, Bench.DEADLINE);
    }
    if (last.getFloat(0) != rows) {
      throw new IllegalStateException(
          "the last element of the product is " + last.getFloat(0) + ", not " + rows);
    }
    return new double[] {time};
  }

  @Override
  public void close() {
    Blas library = blas;
    if (library != null) {
      blas = null;
      try (TimelineSemaphore done = device.createSemaphore(0)) {
        device.queue(0).external(Fence.NONE, done.at(1), List.of(), context -> library.close());
        done.await(1, Bench.DEADLINE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the library ends with the process
      }
    }
    matrices.forEach(DeviceBuffer::close);
  }
}
