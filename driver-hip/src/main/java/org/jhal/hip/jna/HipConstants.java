// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip.jna;

/**
 * Enumerators and macros of {@code hip_runtime_api.h}, except those in hal-gpu, which CUDA shares.
 */
public final class HipConstants {
  private HipConstants() {}

  // hipError_t: only codes that the driver handles; HipResult has more.
  public static final int hipErrorInvalidValue = 1;
  public static final int hipErrorUnknown = 999;

  // hipDeviceAttribute_t
  public static final int hipDeviceAttributeCooperativeLaunch = 10;
  public static final int hipDeviceAttributeMaxBlockDimX = 26;
  public static final int hipDeviceAttributeMaxGridDimX = 29;
  public static final int hipDeviceAttributeMaxThreadsPerBlock = 56;
  public static final int hipDeviceAttributeMultiprocessorCount = 63;
  public static final int hipDeviceAttributePciBusId = 67;
  public static final int hipDeviceAttributePciDeviceId = 68;
  public static final int hipDeviceAttributePciDomainID = 69;
  public static final int hipDeviceAttributeMaxSharedMemoryPerBlock = 74;
  public static final int hipDeviceAttributeWarpSize = 87;
  public static final int hipDeviceAttributeMemoryPoolsSupported = 88;

  // Words of the list that a launch takes as "extra".
  public static final int HIP_LAUNCH_PARAM_BUFFER_POINTER = 1;
  public static final int HIP_LAUNCH_PARAM_BUFFER_SIZE = 2;

  /** CUDA's is 0. */
  public static final int HIP_LAUNCH_PARAM_END = 3;
}
