package org.jhal;

/** An optional feature of a device. Every device offers all other features. */
public enum Capability {
  /** Buffers over the caller's own memory: {@link Allocator#importHost}. */
  HOST_IMPORT,
  /** Buffers of {@link MemoryType#SHARED}. */
  SHARED_MEMORY,
  /**
   * The native runtime beside JHAL: {@link ExternalWork} gets its stream and addresses, {@link
   * Allocator#importDevice} takes its memory and {@link DeviceQueue#importEvent} its events.
   */
  NATIVE_ACCESS
}
