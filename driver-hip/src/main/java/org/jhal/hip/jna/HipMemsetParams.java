package org.jhal.hip.jna;

/**
 * Offsets of the members of the C structure {@code hipMemsetParams} of ROCm 7, in bytes. Older
 * versions have another order.
 */
public final class HipMemsetParams {
  private HipMemsetParams() {}

  public static final int DST = 0;
  public static final int PITCH = 8;
  public static final int VALUE = 16;
  public static final int ELEMENT_SIZE = 20;
  public static final int WIDTH = 24;
  public static final int HEIGHT = 32;
  public static final int BYTES = 40;
}
