// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * What an {@link AcquiredQueue} really got. It stays the same until the queue is closed. Immutable.
 *
 * @param priority the priority in force: what was requested, or NORMAL. On a device without {@link
 *     Capability#QUEUE_PRIORITY} it is NORMAL; on others, LOW may become NORMAL, and the priority
 *     of a queue with a share
 * @param computeUnits how many compute units kernels of the queue run on, where it has a share; 0
 *     if it has none, and uses what no share has taken
 * @param deviceComputeUnits how many the device has for all its queues together; 0 if the driver
 *     does not know
 * @param isExclusive whether kernels of no other queue of the device run on these compute units.
 *     False without a share
 */
public record QueueGrant(
    QueueRequest.Priority priority, int computeUnits, int deviceComputeUnits, boolean isExclusive) {
  /**
   * Checks the numbers.
   *
   * @throws HalException OUT_OF_RANGE if one is negative, or the queue has more than the device
   */
  public QueueGrant {
    Objects.requireNonNull(priority, "priority");
    if (computeUnits < 0 || deviceComputeUnits < computeUnits) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          computeUnits + " compute units of a device with " + deviceComputeUnits);
    }
  }

  /**
   * Returns the part of the device's compute units that the queue has, above 0 and less than 1; 0
   * if it has no share.
   */
  public double share() {
    return computeUnits == 0 ? 0 : (double) computeUnits / deviceComputeUnits;
  }
}
