// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.nio.ByteBuffer;

/** A range of a {@link DeviceMemory} that is mapped for the host. */
public interface MappedRange {
  /**
   * The bytes, in native byte order. The view stays safe to access as long as it is reachable, even
   * after the memory was freed.
   */
  ByteBuffer bytes();

  /** Makes what the host wrote visible to the device. */
  default void flush() {}

  /** Makes what the device wrote visible to the host. */
  default void invalidate() {}
}
