// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

/** What a kernel can demand of floating-point numbers: a capability, and a mode of execution. */
enum FloatMode {
  DENORM_PRESERVE("DenormPreserve", 4464, 4459, 36),
  DENORM_FLUSH_TO_ZERO("DenormFlushToZero", 4465, 4460, 48),
  SIGNED_ZERO_INF_NAN_PRESERVE("SignedZeroInfNanPreserve", 4466, 4461, 24),
  ROUNDING_MODE_RTE("RoundingModeRTE", 4467, 4462, 60),
  ROUNDING_MODE_RTZ("RoundingModeRTZ", 4468, 4463, 72);

  /** Its name in SPIR-V. */
  final String title;

  /** The number of the capability. */
  final int capability;

  /** The number of the mode. */
  final int mode;

  /**
   * Where {@code VkPhysicalDeviceFloatControlsProperties} says whether a device has it for 16 bits;
   * 32 and 64 follow.
   */
  final int offset;

  FloatMode(String title, int capability, int mode, int offset) {
    this.title = title;
    this.capability = capability;
    this.mode = mode;
    this.offset = offset;
  }
}
