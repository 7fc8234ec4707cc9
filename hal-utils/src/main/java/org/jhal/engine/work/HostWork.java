// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.queue.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Work of the host behind the waits: a host call, or the read or write of a file. The operation
 * ends when the host reports that.
 */
public final class HostWork<E> extends QueueWork<E> {
  private final String kind;
  private final HostThreads threads;

  // The part of a buffer that a file is read into or written from; null if there is none.
  private @Nullable BufferStorage used;
  private long usedFrom;
  private long usedTo;
  private Use usedAs = Use.READ;

  /** Makes work that does nothing until {@link #completeOnHost} sets its host completion. */
  public HostWork(DeviceCore<E> device, String kind, HostThreads threads) {
    super(device);
    this.kind = kind;
    this.threads = threads;
  }

  @Override
  protected @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch) {
    return batch.submitTo(stream);
  }

  @Override
  public HostThreads hostThreads() {
    return threads;
  }

  /** Sets the range that it uses of a buffer. */
  public void uses(BufferStorage storage, long from, long length, Use use) {
    used = storage;
    usedFrom = from;
    usedTo = from + length;
    usedAs = use;
  }

  @Override
  public void record(RecordedOperation recorded) {
    super.record(recorded);
    if (hostCompletion() instanceof HostCallRun<?> run) {
      run.recordedAs(recorded);
    }
  }

  @Override
  protected void recordUses(RecordedOperation recorded) {
    BufferStorage storage = used;
    if (storage != null) {
      recorded.touches(storage.touched(), usedFrom, usedTo, usedAs, "");
    }
  }

  @Override
  protected void retired() {
    used = null;
  }

  @Override
  public boolean endsWithHostCompletion() {
    return false;
  }

  @Override
  public String kind() {
    return kind;
  }

  @Override
  public String describe() {
    HostCompletion completion = hostCompletion();
    return completion instanceof HostCallRun<?> run ? run.describe() : kind;
  }
}
