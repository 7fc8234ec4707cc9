package org.jhal;

/**
 * What a device holds right now, and what it has done so far. The numbers are read one after the
 * other, not at one instant.
 *
 * <p>An operation that moves a file, or bytes between two devices, runs in parts. While they are
 * open, {@code parked}, {@code ready}, {@code issued} and {@code settled} count the parts besides
 * the operation itself; {@code enqueued} and {@code retired} never do. Of a collective, neither do:
 * it belongs to no queue. While it is open, it counts on the first device of its {@link
 * CollectiveGroup}, and its parts on the devices that move them. {@link
 * DeviceQueue#openOperations()} tells how many operations of one queue are open, without any parts.
 *
 * @param buffers how many buffers are not closed, or closed and still in use
 * @param bytes the size of their memory in bytes
 * @param commandBuffers how many command buffers are not closed, or closed and still in use
 * @param executables how many executables are not closed, or closed and still in use
 * @param semaphores how many semaphores this device made that are not closed
 * @param parked how many operations wait for something that only the host sees
 * @param ready how many operations could be issued
 * @param issued how many operations were handed to the device and are not settled
 * @param settled how many operations have their signals applied but still hold resources
 * @param enqueued how many operations the program has enqueued so far
 * @param retired how many of those have retired so far
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
    GraphStatistics graphs) {
  /** How many operations have not retired, with the parts that are open. */
  public long openOperations() {
    return parked + ready + issued + settled;
  }

  /** How many objects still have to be closed, or are closed and still in use. */
  public long liveResources() {
    return buffers + commandBuffers + executables + semaphores;
  }
}
