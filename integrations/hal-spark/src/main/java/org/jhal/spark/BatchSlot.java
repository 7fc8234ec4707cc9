// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;

/**
 * The resources of one batch in flight: buffers, a timeline, and memory in which items are joined.
 */
final class BatchSlot implements AutoCloseable {
  private static final long LEAST = 64; // elements

  private final Device device;
  private final BatchKernel kernel;
  private final TimelineSemaphore timeline;
  private final List<DeviceBuffer> read = new ArrayList<>();
  private final List<DeviceBuffer> written = new ArrayList<>();
  private final List<Object> joinedInputs = new ArrayList<>();
  private final List<Object> joinedOutputs = new ArrayList<>();
  private int capacity = -1; // of each buffer, in elements
  private int joinedCapacity = -1;
  private long last; // value of the timeline

  BatchSlot(TaskDevice task, BatchKernel kernel) {
    this.device = task.device();
    this.kernel = kernel;
    this.timeline = task.createTimeline();
  }

  TimelineSemaphore timeline() {
    return timeline;
  }

  /** The value that the last operation so far reaches. */
  long last() {
    return last;
  }

  /** The value that the next operation reaches. */
  long next() {
    return ++last;
  }

  /** Makes room in the buffers for that many elements; new buffers have room for {@code most}. */
  void reserve(int count, int most) {
    if (count <= capacity) {
      return;
    }
    closeBuffers();
    int wanted = (int) Math.min(most, Math.max(LEAST, 2L * Integer.highestOneBit(count - 1)));
    allocate(kernel.inputs(), wanted, read);
    allocate(kernel.outputs(), wanted, written);
    capacity = wanted;
  }

  private void allocate(List<Parameter> parameters, int elements, List<DeviceBuffer> into) {
    for (Parameter parameter : parameters) {
      into.add(device.allocate((long) elements * parameter.type().bytes(), BufferParams.DEVICE));
    }
  }

  /** The parts of the buffers that the kernel reads which that many elements take. */
  List<DeviceBuffer> read(int count) {
    return parts(kernel.inputs(), read, count);
  }

  /** The parts of the buffers that the kernel writes which that many elements take. */
  List<DeviceBuffer> written(int count) {
    return parts(kernel.outputs(), written, count);
  }

  private static List<DeviceBuffer> parts(
      List<Parameter> parameters, List<DeviceBuffer> buffers, int count) {
    List<DeviceBuffer> parts = new ArrayList<>(buffers.size());
    for (int i = 0; i < buffers.size(); i++) {
      parts.add(buffers.get(i).slice(0, (long) count * parameters.get(i).type().bytes()));
    }
    return parts;
  }

  /** An array for each buffer that the kernel reads, in which items are joined. */
  List<Object> joinedInputs(int count) {
    join(count);
    return joinedInputs;
  }

  /** An array for each buffer that the kernel writes, from which the items are taken. */
  List<Object> joinedOutputs(int count) {
    join(count);
    return joinedOutputs;
  }

  private void join(int count) {
    if (count > joinedCapacity) {
      joinedInputs.clear();
      joinedOutputs.clear();
      joinedCapacity = Math.max(count, capacity);
      kernel.inputs().forEach(own -> joinedInputs.add(array(own)));
      kernel.outputs().forEach(own -> joinedOutputs.add(array(own)));
    }
  }

  private Object array(Parameter parameter) {
    return PrimitiveArray.of(parameter.type()).newArray(joinedCapacity);
  }

  private void closeBuffers() {
    capacity = -1;
    read.forEach(DeviceBuffer::close);
    written.forEach(DeviceBuffer::close);
    read.clear();
    written.clear();
  }

  /**
   * Cancels work that has not begun; the memory is free once the rest has retired. Arrays that
   * operations still use are not used again.
   */
  @Override
  public void close() {
    timeline.close();
    closeBuffers();
  }
}
