package org.jhal;

/** Where a buffer's bytes are, and who can access them quickly. */
public enum MemoryType {
  /** On the device, not visible to the host; fastest for the device. */
  DEVICE,
  /**
   * On the device and visible to the host. Only for devices with {@link Capability#SHARED_MEMORY}.
   */
  SHARED,
  /**
   * On the host, cached, visible to the device; for data that the device writes and the host reads.
   */
  HOST,
  /**
   * On the host, visible to the device, slow for the host to read; for data that the host writes
   * once, in order.
   */
  HOST_UPLOAD
}
