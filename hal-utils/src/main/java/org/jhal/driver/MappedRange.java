package org.jhal.driver;

import java.nio.ByteBuffer;

/** A range of a {@link DeviceMemory} as the host reaches it. */
public interface MappedRange {
  /**
   * The bytes, in native byte order. The view keeps what it shows alive, whatever happens to the
   * memory.
   */
  ByteBuffer bytes();

  /** Makes what the host wrote visible to the device. */
  default void flush() {}

  /** Makes what the device wrote visible to the host. */
  default void invalidate() {}
}
