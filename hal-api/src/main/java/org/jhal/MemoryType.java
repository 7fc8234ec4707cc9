// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/** Where a buffer's bytes are located, and who can access them fast. */
public enum MemoryType {
  /** On the device, and not visible to the host; fastest for the device. */
  DEVICE,
  /**
   * On the device, and visible to the host; only for devices with {@link Capability#SHARED_MEMORY}.
   */
  SHARED,
  /**
   * On the host, cached, and visible to the device; for data that the device writes and the host
   * reads.
   */
  HOST,
  /**
   * On the host, and visible to the device, but slow for the host to read; for data that the host
   * writes once, in order.
   */
  HOST_UPLOAD
}
