package org.jhal.hip.jna;

/**
 * The two layouts of hipDeviceProp_t. Only the architecture is read from it: everything else is an
 * attribute, whose number is the same in all versions.
 */
public enum HipDeviceProp {
  /** ROCm 6 and later. */
  R0600(1472, 1160),
  /** ROCm 5. */
  R0000(792, 396);

  /** Room for either layout, and for additions of later versions. */
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
