// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.kit;

import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.awaitRetired;
import static org.jhal.cts.support.Waits.awaitTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.Device;
import org.jhal.Fence;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.simulator.Simulator;

/** A device's first queue, whose stream is paused after its earlier work. */
public final class HeldStream implements AutoCloseable {
  private final Simulator simulator;
  private final Device device;
  private final long stream;
  private final TimelineSemaphore timeline;
  private boolean isReleased;

  /** Holds the stream. */
  public HeldStream(Simulator simulator, Device device) {
    this.simulator = simulator;
    this.device = device;
    this.timeline = device.createSemaphore(0);
    AtomicLong found = new AtomicLong();
    device
        .queue(0)
        .external(Fence.NONE, timeline.at(1), List.of(), work -> found.set(work.stream()));
    awaitReached(timeline, 1);
    this.stream = found.get();
    awaitRetired(device);
    simulator.pause(device.info().index(), stream);
  }

  /** Enqueues an operation, which is issued at once, and over when the stream is released. */
  public Timepoint producer() {
    Timepoint end = timeline.at(timeline.value() + 1);
    AtomicBoolean isIssued = new AtomicBoolean();
    // A barrier would need nothing of the stream, and be over at once.
    device.queue(0).external(Fence.NONE, end, List.of(), work -> isIssued.set(true));
    awaitTrue("the producer to be issued", isIssued::get);
    return end;
  }

  public TimelineSemaphore timeline() {
    return timeline;
  }

  /** Resumes the stream. */
  public void release() {
    if (!isReleased) {
      isReleased = true;
      simulator.resume(device.info().index(), stream);
    }
  }

  @Override
  public void close() {
    release();
    timeline.close();
  }
}
