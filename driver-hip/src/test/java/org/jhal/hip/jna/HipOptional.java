// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import com.sun.jna.Pointer;

/** The functions that {@link HipDeviceProp} names, as they are called. */
interface HipOptional {
  int hipGetDevicePropertiesR0600(Pointer prop, int deviceId);

  int hipGetDevicePropertiesR0000(Pointer prop, int deviceId);

  int hipGetDeviceProperties(Pointer prop, int deviceId);
}
