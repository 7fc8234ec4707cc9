package org.jhal.gpu.stream;

import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.transfer.GpuCopyStream;

/** The copies of a queue's stream, whose marks are the recordings of events. */
final class QueueCopies extends GpuCopyStream {
  private final StreamEvents events;

  QueueCopies(GpuCore core, long stream, StreamEvents events) {
    super(core, stream);
    this.events = events;
  }

  @Override
  public long mark() {
    return events.next();
  }

  @Override
  public boolean isPast(long mark) {
    return events.isPast(mark);
  }

  /** The stream is that of the queue, which closes it. */
  @Override
  public void close() {}
}
