// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A budget for buffers from {@link DeviceQueue#alloca(Fence, Fence, long, BufferParams,
 * MemoryPool)}: one part of a program cannot take the memory of another, or waits with new work
 * until older work has freed what it had.
 *
 * <pre>{@code
 * MemoryPool pool = device.createPool(PoolRequest.of(64 << 20).waiting());
 * for (long i = 0; i < batches; i++) {
 *   DeviceBuffer scratch =
 *       queue.alloca(Fence.NONE, line.at(3 * i + 1), bytes, BufferParams.DEVICE, pool);
 *   queue.dispatch(line.at(3 * i + 1), line.at(3 * i + 2), kernel, groups, Args.of(scratch));
 *   queue.dealloca(line.at(3 * i + 2), line.at(3 * i + 3), scratch);
 * }
 * }</pre>
 *
 * <p>An alloca counts from when it is issued until its dealloca is issued, or, without one, until
 * its memory is freed after the close of the buffer. The bytes that count are those that the
 * program asks for. A pool owns no memory itself: the device may lack memory while a pool has
 * budget left.
 *
 * <p>Contract: rule M1a. A pool needs no close. Thread-safe.
 */
public interface MemoryPool extends AutoCloseable {
  /** Returns the device whose queues can use it. */
  Device device();

  /** Returns what it was made as. */
  PoolRequest request();

  /** Returns what it holds. May be called at any time, also when it is closed. */
  PoolStatistics statistics();

  /** Returns whether {@link #close} was called. */
  boolean isClosed();

  /**
   * Closes the pool. Allocas that wait for their part of the budget fail with CANCELLED, those
   * whose own waits are not reached yet fail when they are, and later calls are rejected. Buffers
   * stay as they are. Closing twice is harmless.
   */
  @Override
  void close();
}
