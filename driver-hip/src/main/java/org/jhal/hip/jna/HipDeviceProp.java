// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

import java.util.List;

/**
 * A layout of hipDeviceProp_t, by the function that fills it. Only the architecture is read from
 * it: all else is an attribute, with the same number in all versions.
 *
 * <p>From ROCm 6 on {@code hipGetDeviceProperties} is a macro for a new layout in C; the function
 * of this name fills the old one.
 *
 * @param function takes the address of the structure and the number of the device
 * @param gcnArchName the offset of the architecture: a string of at most 255 characters and a zero
 */
public record HipDeviceProp(String function, int gcnArchName) {
  /** ROCm 6 and later. */
  public static final HipDeviceProp R0600 = new HipDeviceProp("hipGetDevicePropertiesR0600", 1160);

  /** ROCm 5, in later versions. */
  public static final HipDeviceProp R0000 = new HipDeviceProp("hipGetDevicePropertiesR0000", 396);

  /** A library has at least one; the first one that it has is right. The last one is ROCm 5's. */
  public static final List<HipDeviceProp> ALL =
      List.of(R0600, R0000, new HipDeviceProp("hipGetDeviceProperties", 396));

  /** Room for any layout, and for additions of later versions. */
  public static final int MAX_BYTES = 4096;
}
