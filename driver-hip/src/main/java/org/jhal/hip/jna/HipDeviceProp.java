package org.jhal.hip.jna;

/**
 * The two layouts of hipDeviceProp_t, of which only the architecture is read: all else is an
 * attribute, and those have kept their numbers.
 */
public enum HipDeviceProp {
  /** ROCm 6 and later. */
  R0600(1472, 1160),
  /** ROCm 5. */
  R0000(792, 396);

  /** Room for either, and for what a later version may add. */
  public static final int MAX_BYTES = 4096;

  private final int bytes;
  private final int gcnArchName;

  HipDeviceProp(int bytes, int gcnArchName) {
    this.bytes = bytes;
    this.gcnArchName = gcnArchName;
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
