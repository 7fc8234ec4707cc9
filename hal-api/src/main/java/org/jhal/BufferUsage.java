// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * A way of using a buffer. A use for which a buffer was not created is rejected with
 * PERMISSION_DENIED (rule M5).
 */
public enum BufferUsage {
  /** Read by copies and readbacks. */
  TRANSFER_SOURCE,
  /** Written by fills, updates, uploads and copies. */
  TRANSFER_TARGET,
  /** Read by kernels. */
  DISPATCH_READ,
  /** Written by kernels. */
  DISPATCH_WRITE,
  /** Mapped by the host for reading. */
  MAP_READ,
  /** Mapped by the host for writing. */
  MAP_WRITE
}
