package org.jhal.hip.jna;

/**
 * The layouts of hipDeviceProp_t, by the function that fills it; a library has one of them at
 * least. Only the architecture is read from it: everything else is an attribute, whose number is
 * the same in all versions.
 *
 * <p>In C {@code hipGetDeviceProperties} is a macro from ROCm 6 on, which has a new layout of the
 * structure; the function of this name still fills the old one, for programs that were compiled
 * before.
 */
public enum HipDeviceProp {
  /** ROCm 6 and later. */
  R0600("hipGetDevicePropertiesR0600", 1472, 1160),
  /** ROCm 5, in later versions. */
  R0000("hipGetDevicePropertiesR0000", 792, 396),
  /** ROCm 5, in all versions. */
  R5("hipGetDeviceProperties", 792, 396);

  /** Room for either layout, and for additions of later versions. */
  public static final int MAX_BYTES = 4096;

  private final String function;
  private final int bytes;
  private final int gcnArchName;

  HipDeviceProp(String function, int bytes, int gcnArchName) {
    this.function = function;
    this.bytes = bytes;
    this.gcnArchName = gcnArchName;
  }

  /** The function: it takes the address of the structure and the number of the device. */
  public String function() {
    return function;
  }

  /** The size of the structure. */
  public int bytes() {
    return bytes;
  }

  /** The offset of the architecture: a string of at most 255 characters and a zero. */
  public int gcnArchName() {
    return gcnArchName;
  }
}
