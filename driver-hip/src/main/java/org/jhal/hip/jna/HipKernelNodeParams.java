package org.jhal.hip.jna;

/** Offsets of the members of the C structure {@code hipKernelNodeParams}, in bytes. */
public final class HipKernelNodeParams {
  private HipKernelNodeParams() {}

  public static final int BLOCK_DIM = 0; // three ints, for the three axes
  public static final int EXTRA = 16;
  public static final int FUNC = 24;
  public static final int GRID_DIM = 32; // likewise
  public static final int KERNEL_PARAMS = 48;
  public static final int SHARED_MEM_BYTES = 56;
  public static final int BYTES = 64;
}
