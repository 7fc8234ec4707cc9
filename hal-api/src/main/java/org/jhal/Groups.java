// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import java.util.Objects;
import org.jhal.spi.CollectiveDevice;
import org.jhal.spi.HostWaits;

/**
 * Creates groups: checks what can be checked for any device, and delegates the rest to the first
 * device.
 */
final class Groups {
  private Groups() {}

  static CollectiveGroup make(List<? extends Device> devices, CollectiveGroup.Options options) {
    Objects.requireNonNull(devices, "devices");
    Objects.requireNonNull(options, "options");
    for (Device device : devices) {
      Objects.requireNonNull(device, "devices has a null");
    }
    List<Device> ranks = List.copyOf(devices);
    if (ranks.isEmpty()) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "a group needs at least one device; got none");
    }
    HostWaits.check("making a group"); // which may block
    for (int i = 0; i < ranks.size(); i++) {
      check(ranks, i);
    }
    return ((CollectiveDevice) ranks.get(0)).createGroup(ranks, options);
  }

  private static void check(List<Device> ranks, int rank) {
    Device device = ranks.get(rank);
    for (int i = 0; i < rank; i++) {
      if (ranks.get(i) == device) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "ranks " + i + " and " + rank + " are the same device, " + device);
      }
    }
    if (!(device instanceof CollectiveDevice)) {
      throw new HalException(
          Status.UNIMPLEMENTED, "rank " + rank + ", " + device + ", offers no collectives");
    }
    if (device.isClosed()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "rank " + rank + ", " + device + ", is closed");
    }
    HalException lost = device.lostCause();
    if (lost != null) {
      throw lost.again();
    }
  }
}
