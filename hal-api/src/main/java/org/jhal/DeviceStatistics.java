package org.jhal;

/**
 * What a device holds right now. The numbers are taken one after the other, not at one instant.
 *
 * @param buffers that are not closed, or closed and still in use
 * @param bytes of their memory
 * @param commandBuffers that are not closed, or closed and still in use
 * @param executables that are not closed, or closed and still in use
 * @param semaphores made by this device and not closed
 * @param parked operations that wait for something only the host sees
 * @param ready operations that could be issued
 * @param issued operations handed to the device and not settled
 * @param settled operations whose signals are applied and whose resources are not released yet
 * @param enqueued operations accepted so far
 * @param retired operations over so far
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
    long retired) {
  /** Operations that have not retired. */
  public long openOperations() {
    return parked + ready + issued + settled;
  }

  /** Objects that somebody has to close, or that are still in use. */
  public long liveResources() {
    return buffers + commandBuffers + executables + semaphores;
  }
}
