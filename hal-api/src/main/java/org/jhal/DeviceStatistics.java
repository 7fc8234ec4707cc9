// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * What a device currently holds, and what it has done so far. The numbers are read one after the
 * other, not at a single instant.
 *
 * <p>An operation that reads or writes a file, or that moves bytes between two devices, runs in
 * parts. While the parts are open, {@code parked}, {@code ready}, {@code issued} and {@code
 * settled} count them in addition to the operation itself; {@code enqueued} and {@code retired}
 * never do. A collective belongs to no queue, so {@code enqueued} and {@code retired} do not count
 * it at all. While it is open, the other numbers count it on the first device of its {@link
 * CollectiveGroup}, and its parts on the devices that move them. {@link
 * DeviceQueue#openOperations()} is the number of open operations of one queue, without any parts.
 *
 * @param buffers the number of buffers that are not closed, or closed and still in use
 * @param bytes the size of their memory in bytes
 * @param commandBuffers the number of command buffers that are not closed, or closed and still in
 *     use
 * @param executables the number of executables that are not closed, or closed and still in use
 * @param semaphores the number of semaphores that this device has created and that are not closed
 * @param parked the number of operations with a wait that is neither reached nor known to the
 *     device, and of allocas that wait for room in a {@link MemoryPool}
 * @param ready the number of operations that can be issued
 * @param issued the number of operations that were issued and have not settled
 * @param settled the number of operations whose signals are applied but that still hold resources
 * @param enqueued the number of operations that the program has enqueued so far
 * @param retired the number of those that have retired so far
 * @param failed the number of those that have retired and failed so far, be it because an operation
 *     that they waited for had failed
 * @param uploadedBytes the number of bytes that were moved from the host to the device so far (rule
 *     D6), by uploads, and in parts by reads of files and by copies from other devices through the
 *     host. An upload counts when it is issued, even if it fails later; updates do not count
 * @param readbackBytes the number of bytes that were moved from the device to the host so far,
 *     likewise, by readbacks, writes of files and copies
 * @param graphs how native graphs are used
 */
public record DeviceStatistics(
    long buffers,
    long bytes,
    long commandBuffers,
    long executables,
    long semaphores,
    long parked,
    long ready,
    long issued,
    long settled,
    long enqueued,
    long retired,
    long failed,
    long uploadedBytes,
    long readbackBytes,
    GraphStatistics graphs) {
  /** Returns the number of operations that have not retired, including open parts. */
  public long openOperations() {
    return parked + ready + issued + settled;
  }

  /** Returns the number of objects that are not closed, or closed and still in use. */
  public long liveResources() {
    return buffers + commandBuffers + executables + semaphores;
  }
}
