package org.jhal.hip.jna;

import com.sun.jna.Library;
import com.sun.jna.Pointer;

/**
 * The functions of the HIP runtime that only some versions have. Each is looked up when it is
 * called; a call of one that the library lacks throws an {@link UnsatisfiedLinkError}.
 *
 * <p>In C {@code hipGetDeviceProperties} is a macro from ROCm 6 on, which has a new layout of the
 * structure; the function of this name still fills the old one, for programs that were compiled
 * before.
 */
public interface HipOptional extends Library {
  /** The layout of ROCm 6 and later. */
  int hipGetDevicePropertiesR0600(Pointer prop, int deviceId);

  /** The layout of ROCm 5, which has this function without a suffix only. */
  int hipGetDevicePropertiesR0000(Pointer prop, int deviceId);

  /** The layout of ROCm 5, in all versions. */
  int hipGetDeviceProperties(Pointer prop, int deviceId);
}
