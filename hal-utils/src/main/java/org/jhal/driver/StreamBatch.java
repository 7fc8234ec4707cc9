// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.BufferParams;
import org.jspecify.annotations.Nullable;

/**
 * What {@link NativeStream#submit} puts into a stream: waits, then at most one kind of work ({@link
 * #commands}, {@link #allocation} or {@link #deallocation}), then the recording of an event. Each
 * of the three may be missing. Valid during the call only.
 *
 * <p>The engine submits an operation as one batch, with two exceptions. Waits for events of another
 * device come first, in batches of their own. A collective of a {@link NativeGroup} is a batch of
 * waits, {@link NativeGroup#issue}, and a batch that only records the event.
 *
 * @param <E> the driver's native event
 */
public interface StreamBatch<E> {
  /** How many events the stream has to wait for. */
  default int waitCount() {
    return 0;
  }

  /**
   * An event to wait for. It was recorded on a stream of the same device, or of one with the same
   * {@link DeviceBackend#eventDomain}.
   *
   * @param index from 0 to {@link #waitCount()} - 1
   */
  default E waitEvent(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  /**
   * The commands, or null. They, their host memory and the memory of their operands stay valid
   * until the event behind them has fired; after that the driver must not access them.
   */
  default @Nullable CommandList commands() {
    return null;
  }

  /** Memory to allocate in stream order, or null. */
  default @Nullable Allocation allocation() {
    return null;
  }

  /** Memory to free in stream order, or null. */
  default @Nullable Deallocation deallocation() {
    return null;
  }

  /** The submission of the work. Only for a batch that has work. */
  default Submission submission() {
    throw new IllegalStateException("the batch has no work");
  }

  /** The event to record behind the waits and the work, or null. */
  default @Nullable E event() {
    return null;
  }

  /**
   * An allocation in stream order: work that is issued later may use the memory; on a stream that
   * is not in order, only work that waits for the event of this batch. Memory that an earlier batch
   * {@linkplain #deallocation frees}, on any stream of the device, counts as available already,
   * even if the device has not got there: a chain that allocates and frees again and again needs no
   * more memory than one round (rule M1). The backend {@link DeviceBackend#supports supports} the
   * parameters. The driver may allocate at once.
   */
  interface Allocation {
    /** The size in bytes. */
    long bytes();

    /** What the memory is for. */
    BufferParams params();

    /** Takes the memory. Called once, during {@link NativeStream#submit}, unless that fails. */
    void allocated(DeviceMemory memory);
  }

  /** Memory of an {@link #allocation}, on this stream or another one, to free in stream order. */
  interface Deallocation {
    /** The memory. */
    DeviceMemory memory();

    /**
     * Says that the driver frees the memory when the stream gets there. Called once, during {@link
     * NativeStream#submit}, unless that fails before, and behind the last call of {@link #memory}.
     * The engine then does not call {@link DeviceMemory#free()} any more.
     */
    void taken();
  }
}
