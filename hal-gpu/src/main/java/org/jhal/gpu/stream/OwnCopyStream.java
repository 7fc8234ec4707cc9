// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.GpuCore;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * A native stream for copies alone, with one event. The event is recorded again for each mark, so
 * the stream is past all marks when it is past the last one.
 */
public final class OwnCopyStream extends GpuCopyStream {
  private final GpuRuntime runtime;
  private final long stream;
  private final long event;
  private long marks;

  private OwnCopyStream(GpuCore core, long stream, long event) {
    super(core, () -> stream);
    this.runtime = core.runtime();
    this.stream = stream;
    this.event = event;
  }

  /** Opens a stream. The device is bound. */
  public static OwnCopyStream open(GpuCore core) {
    GpuRuntime runtime = core.runtime();
    long stream = runtime.openStream();
    return Undo.onFailure(
        () -> new OwnCopyStream(core, stream, runtime.createEvent(true)),
        () -> runtime.closeStream(stream));
  }

  @Override
  public long mark() {
    runtime.recordEvent(event, stream);
    return ++marks;
  }

  @Override
  public boolean isPast(long mark) {
    return runtime.queryEvent(event);
  }

  @Override
  public void await(long mark) {
    runtime.synchronizeEvent(event);
  }

  @Override
  public void close() {
    runtime.destroyEvent(event);
    runtime.closeStream(stream);
  }
}
