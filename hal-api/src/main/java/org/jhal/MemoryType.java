package org.jhal;

/** Where a buffer's bytes live, and who reaches them fast. */
public enum MemoryType {
  /** On the device, not visible to the host: the fastest for the device. */
  DEVICE,
  /**
   * On the device and visible to the host, where the device offers {@link
   * Capability#SHARED_MEMORY}.
   */
  SHARED,
  /** On the host, cached, visible to the device: for what the device writes and the host reads. */
  HOST,
  /**
   * On the host, visible to the device, slow to read for the host: for what the host writes once in
   * order.
   */
  HOST_UPLOAD
}
