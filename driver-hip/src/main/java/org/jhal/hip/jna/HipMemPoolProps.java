package org.jhal.hip.jna;

import com.sun.jna.Memory;

/** The structure that hipMemPoolCreate takes. */
public final class HipMemPoolProps {
  static final int BYTES = 88;
  static final int ALLOC_TYPE = 0; // offsets
  static final int LOCATION_TYPE = 8;
  static final int LOCATION_ID = 12;

  static final int ALLOCATION_TYPE_PINNED = 1; // the type of all pools
  static final int LOCATION_TYPE_DEVICE = 1;

  private HipMemPoolProps() {}

  /** For a pool of memory of a device. */
  public static Memory ofDevice(int ordinal) {
    Memory props = new Memory(BYTES);
    props.clear();
    props.setInt(ALLOC_TYPE, ALLOCATION_TYPE_PINNED);
    props.setInt(LOCATION_TYPE, LOCATION_TYPE_DEVICE);
    props.setInt(LOCATION_ID, ordinal);
    return props;
  }
}
