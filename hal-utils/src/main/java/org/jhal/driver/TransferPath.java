// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.util.Locale;

/** How the bytes of an upload or a readback get from one memory to the other. */
public enum TransferPath {
  /** The device accesses the host memory, which is page-locked. */
  DIRECT,
  /** The bytes go through staging memory of the stream, in the order of its work. */
  STAGED,
  /** Threads of the device move the bytes through a few blocks of page-locked memory. */
  RING,
  /** The host copies the bytes, for a device that uses its memory. */
  HOST;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** The name in lower case. */
  public String word() {
    return word;
  }
}
