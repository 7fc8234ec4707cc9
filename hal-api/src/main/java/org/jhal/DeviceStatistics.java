package org.jhal;

/**
 * What a device holds right now. The numbers are read one after the other, not at one instant.
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
 * @param enqueued how many operations were accepted so far
 * @param retired how many operations have retired so far
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
  /** How many operations have not retired. */
  public long openOperations() {
    return parked + ready + issued + settled;
  }

  /** How many objects still have to be closed, or are closed and still in use. */
  public long liveResources() {
    return buffers + commandBuffers + executables + semaphores;
  }
}
