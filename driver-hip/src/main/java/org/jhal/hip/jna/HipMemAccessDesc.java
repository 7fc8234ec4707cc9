package org.jhal.hip.jna;

import com.sun.jna.Memory;

/** The structure of which hipMemPoolSetAccess takes an array. */
public final class HipMemAccessDesc {
  static final int BYTES = 12;
  static final int LOCATION_TYPE = 0; // offsets
  static final int LOCATION_ID = 4;
  static final int FLAGS = 8;

  static final int READ_WRITE = 3;

  private HipMemAccessDesc() {}

  /** For a device that may read and write. */
  public static Memory ofDevice(int ordinal) {
    Memory desc = new Memory(BYTES);
    desc.setInt(LOCATION_TYPE, HipMemPoolProps.LOCATION_TYPE_DEVICE);
    desc.setInt(LOCATION_ID, ordinal);
    desc.setInt(FLAGS, READ_WRITE);
    return desc;
  }
}
