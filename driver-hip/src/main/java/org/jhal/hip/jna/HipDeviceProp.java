package org.jhal.hip.jna;

/**
 * The layouts of hipDeviceProp_t, by the function that fills it; a library has at least one. Only
 * the architecture is read from it: all else is an attribute, with the same number in all versions.
 *
 * <p>From ROCm 6 on {@code hipGetDeviceProperties} is a macro for a new layout in C; the function
 * of this name fills the old one.
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

  public int bytes() {
    return bytes;
  }

  /** The offset of the architecture: a string of at most 255 characters and a zero. */
  public int gcnArchName() {
    return gcnArchName;
  }
}
