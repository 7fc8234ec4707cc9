// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;

/**
 * A queue, and a timeline on which its operations follow one another.
 *
 * <p>For one thread.
 */
public final class QueueChain implements AutoCloseable {
  public final DeviceQueue queue;
  public final TimelineSemaphore timeline;
  private long last;

  /** For a queue, by its index. */
  public QueueChain(Device device, int index) {
    this.queue = device.queue(index);
    this.timeline = device.createSemaphore(0);
  }

  /** The end of the latest operation. */
  public Timepoint now() {
    return timeline.at(last);
  }

  /** The end of the next operation, which the caller enqueues. */
  public Timepoint next() {
    return timeline.at(++last);
  }

  /** Allocates device memory. */
  public DeviceBuffer alloca(long bytes) {
    Timepoint before = now();
    return queue.alloca(before, next(), bytes, BufferParams.DEVICE);
  }

  /** Frees and closes a buffer. */
  public void dealloca(DeviceBuffer buffer) {
    Timepoint before = now();
    queue.dealloca(before, next(), buffer);
    buffer.close();
  }

  /** Allocates and frees. */
  public void pair(long bytes) {
    dealloca(alloca(bytes));
  }

  /** Fills a buffer with a byte. */
  public void fill(DeviceBuffer buffer, int value) {
    Timepoint before = now();
    queue.fill(before, next(), buffer, 0, buffer.size(), FillPattern.of8(value));
  }

  /** Reads a buffer back, and waits for that. */
  public byte[] read(DeviceBuffer buffer) {
    byte[] bytes = new byte[(int) buffer.size()];
    Timepoint before = now();
    queue.readback(before, next(), buffer, 0, ByteBuffer.wrap(bytes));
    await();
    return bytes;
  }

  /** Waits for the latest operation. */
  public void await() {
    awaitReached(timeline, last);
  }

  @Override
  public void close() {
    timeline.close();
  }
}
