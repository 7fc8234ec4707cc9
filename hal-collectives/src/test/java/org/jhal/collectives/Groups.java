// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import org.jhal.engine.EngineDevice;
import org.jhal.engine.Inside;

/** Access to a device's groups. */
final class Groups {
  private Groups() {}

  @SuppressWarnings("unchecked") // made for this device
  static <E> DeviceGroups<E> of(EngineDevice<E> device) {
    return (DeviceGroups<E>) Inside.collectives(device);
  }
}
