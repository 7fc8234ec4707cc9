package org.jhal;

/** What a device may or may not offer. Everything else is offered by all. */
public enum Capability {
  /** {@link Allocator#importHost}. */
  HOST_IMPORT,
  /** Buffers of {@link MemoryType#SHARED}. */
  SHARED_MEMORY
}
