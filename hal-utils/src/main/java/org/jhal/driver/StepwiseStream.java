// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose runtime takes waits, work and events one call at a time, as CUDA and HIP do. A
 * driver implements the steps; {@link #submit} makes them in order and reports what has failed.
 *
 * <p>Failures of steps are {@link HalException}s. A failure of {@link #waitEvent} or {@link
 * #recordEvent} loses the device. After a failure of the work, the event is recorded all the same,
 * because part of the work may be in the stream. Any other exception, a {@link LinkageError} and an
 * {@link OutOfMemoryError} of the work count as failures, too; another error, such as a {@link
 * StackOverflowError}, may have left the state of the driver half changed, and loses the device.
 * The steps are called by one thread at a time, with the device bound and no lock of the engine
 * held.
 *
 * @param <E> the driver's native event
 */
public abstract class StepwiseStream<E> implements NativeStream<E> {
  /** For subclasses. */
  protected StepwiseStream() {}

  @Override
  public @Nullable Throwable submit(StreamBatch<E> batch) {
    try {
      waitEvents(batch);
    } catch (Throwable t) {
      throw new UncoveredWorkException("waitEvent", t);
    }
    Throwable failure = null;
    try {
      if (submitWork(batch)) { // it was put back
        return null;
      }
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      failure = e; // the event has to cover what is in the stream
    }
    E event = batch.event();
    if (event != null) {
      try {
        recordEvent(event);
      } catch (Throwable t) {
        throw UncoveredWorkException.unrecorded(t, failure);
      }
    }
    return failure;
  }

  /** Issues the work, if there is any, and returns whether it was {@link Submission#putBack}. */
  private boolean submitWork(StreamBatch<E> batch) {
    CommandList commands = batch.commands();
    if (commands != null) {
      Submission submission = batch.submission();
      boolean wasPutBack = submission.wasPutBack();
      issue(commands, submission);
      return submission.wasPutBack() != wasPutBack;
    }
    StreamBatch.Allocation allocation = batch.allocation();
    if (allocation != null) {
      allocation.allocated(allocAsync(allocation.bytes(), allocation.params(), batch.submission()));
    }
    StreamBatch.Deallocation deallocation = batch.deallocation();
    if (deallocation != null) {
      freeAsync(deallocation.memory());
      deallocation.taken();
    }
    return false;
  }

  /**
   * Makes work that is issued to this stream later wait for the events of a batch. By default this
   * calls {@link #waitEvent} for each; a stream whose runtime takes a list of events overrides it.
   */
  protected void waitEvents(StreamBatch<E> batch) {
    for (int i = 0; i < batch.waitCount(); i++) {
      waitEvent(batch.waitEvent(i));
    }
  }

  /**
   * Makes work that is issued to this stream later wait for an event. On a stream that is not in
   * order, the wait need hold back only work up to the next recording.
   */
  protected abstract void waitEvent(E event);

  /**
   * Hands commands to the stream, without waiting for them. The list may be empty. If this throws,
   * part of the commands may have been handed over.
   *
   * @param submission resolves operands, during this call only, and takes failures that show later
   */
  protected abstract void issue(CommandList commands, Submission submission);

  /**
   * Allocates in stream order; see {@link StreamBatch.Allocation}.
   *
   * @param submission takes a failure that shows only when the stream reaches the allocation
   * @throws HalException RESOURCE_EXHAUSTED if there is not enough memory
   */
  protected abstract DeviceMemory allocAsync(
      long bytes, BufferParams params, Submission submission);

  /**
   * Frees memory in stream order; see {@link StreamBatch.Deallocation}. On a stream that is not in
   * order, it is freed behind the waits since the previous recording.
   */
  protected abstract void freeAsync(DeviceMemory memory);

  /** Records an event; see {@link NativeStream#submit} for what it covers. */
  protected abstract void recordEvent(E event);
}
