package org.jhal.spi;

import java.util.List;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.HalException;

/** A device that can make groups and take part in them; {@link CollectiveGroup#of} asks rank 0. */
public interface CollectiveDevice extends Device {
  /**
   * Makes a group. The caller has checked that there is a device, that this is the first one, that
   * none is named twice, and that each is a {@link CollectiveDevice}. They may be of other drivers.
   *
   * @throws HalException as {@link CollectiveGroup#of(List, CollectiveGroup.Options)} says
   */
  CollectiveGroup createGroup(List<Device> devices, CollectiveGroup.Options options);
}
