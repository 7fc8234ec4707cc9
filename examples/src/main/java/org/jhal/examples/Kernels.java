// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;

/**
 * The one kernel of an example's bundle, with the buffers that it works on. Calls run in the order
 * in which they are made, on one timeline.
 *
 * <p>For one thread.
 */
final class Kernels implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Device device;
  private final String name;
  private final DeviceQueue queue;
  private final TimelineSemaphore timeline;
  private final Executable executable;
  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private long value;

  /**
   * Loads the bundle {@code examples/NAME}, which the jar has too.
   *
   * @param bundles where the bundle is
   */
  Kernels(Device device, String name, Accuracy.Bundles bundles) {
    this.device = device;
    this.name = name;
    queue = device.queue(0);
    executable = device.loadExecutable(bundles.bundle(name));
    timeline = device.createSemaphore(0);
  }

  /** A buffer of {@code count} elements. */
  DeviceBuffer allocate(int elements) {
    DeviceBuffer buffer = device.allocate(4L * elements, BufferParams.DEVICE);
    buffers.add(buffer);
    return buffer;
  }

  /** A buffer with this content. */
  DeviceBuffer upload(float[] data) throws InterruptedException {
    DeviceBuffer buffer = allocate(data.length);
    queue.upload(timeline.at(value), timeline.at(value + 1), HostMemory.of(data), buffer, 0);
    timeline.await(++value, PATIENCE);
    return buffer;
  }

  /** Runs the function. */
  void dispatch(Workgroups groups, Object... args) {
    queue.dispatch(
        timeline.at(value), timeline.at(value + 1), executable.kernel(name), groups, Args.of(args));
    value++;
  }

  /** The content of a buffer, once all is done. */
  float[] readback(DeviceBuffer buffer) throws InterruptedException {
    float[] data = new float[(int) (buffer.size() / 4)];
    queue.readback(timeline.at(value), timeline.at(value + 1), buffer, 0, HostMemory.of(data));
    timeline.await(++value, PATIENCE);
    return data;
  }

  @Override
  public void close() {
    buffers.forEach(DeviceBuffer::close);
    timeline.close();
    executable.close();
  }
}
