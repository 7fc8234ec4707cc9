// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.nio.ByteBuffer;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * What a driver lends to the work of an {@link ExternalCall}: a stream and addresses if the device
 * offers {@link org.jhal.Capability#NATIVE_ACCESS}, else the bytes, and also their addresses if it
 * offers {@link org.jhal.Capability#HOST_ADDRESSES}.
 */
public interface NativeAccess {
  /** The handle of the native stream. */
  default long stream() {
    throw new HalException(
        Status.UNIMPLEMENTED,
        "the device has no native stream to lend; its external work uses bytes(buffer)");
  }

  /** The device's address at which buffer {@code index} of the command starts. */
  default long address(int index) {
    throw new HalException(
        Status.UNIMPLEMENTED,
        "the memory of the device has no native address; its external work uses bytes(buffer)");
  }

  /** The bytes of buffer {@code index} of the command, which fit into one byte buffer. */
  default ByteBuffer bytes(int index) {
    throw new HalException(
        Status.UNIMPLEMENTED,
        "external work of this device gets addresses for its stream, by address(buffer), not the"
            + " bytes themselves");
  }
}
