// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.HalException;

/**
 * A device that can create groups and take part in them. {@link CollectiveGroup#of} calls the one
 * of rank 0.
 */
public interface CollectiveDevice extends Device {
  /**
   * Creates a group. The caller has checked that {@code devices} is not empty, that this is the
   * first device, that none is listed twice, that none is closed or lost, and that each is a {@link
   * CollectiveDevice}. The devices may belong to other drivers.
   *
   * @throws HalException as {@link CollectiveGroup#of(List, CollectiveGroup.Options)}
   */
  CollectiveGroup createGroup(List<Device> devices, CollectiveGroup.Options options);
}
