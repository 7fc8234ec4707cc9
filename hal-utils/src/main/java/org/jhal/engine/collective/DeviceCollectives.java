// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.collective;

import java.time.Duration;
import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.HalException;

/**
 * The groups that a device is a rank of, as the engine sees them.
 *
 * <p>Thread-safe. A group that is made while the device closes or is lost finds out by itself.
 */
public interface DeviceCollectives {
  /**
   * Makes a group whose rank 0 is this device. Blocks.
   *
   * @param ranks what {@link Collectives#of} has made for the devices, by rank, this one first
   * @throws HalException as {@link CollectiveGroup#of(List, CollectiveGroup.Options)}
   */
  CollectiveGroup createGroup(List<DeviceCollectives> ranks, CollectiveGroup.Options options);

  /**
   * Closing has begun: cancels collectives that have not begun. Those that are about to begin do so
   * first. Runs users' callbacks.
   *
   * @param deadline until when they may, for all groups together; see {@link System#nanoTime}
   */
  void close(long deadline);

  /**
   * Closing waits no longer: fails the collectives that have begun. Runs users' callbacks.
   *
   * @param limit how long it has waited, for messages
   */
  void giveUp(Duration limit);

  /** The device is lost: all its groups fail. Runs users' callbacks. May be called again. */
  void lost(HalException cause);
}
