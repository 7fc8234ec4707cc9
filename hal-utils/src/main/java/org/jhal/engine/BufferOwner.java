package org.jhal.engine;

/**
 * The owner's reference to a {@link BufferStorage}. The storage keeps this object reachable while
 * {@link LiveStorages} keeps the storage.
 */
final class BufferOwner extends Owner {
  private final BufferStorage storage;

  /** Owns {@code storage} on behalf of {@code buffer}. */
  BufferOwner(Object buffer, BufferStorage storage) {
    super(buffer, storage, storage.device.tracesLeaks(), "buffer");
    this.storage = storage;
    storage.setOwner(this);
  }

  /** Whether a dealloca was issued; a buffer that nobody closes is no leak then. */
  @Override
  boolean isOver() {
    return storage.isDeallocated();
  }

  @Override
  String describe() {
    return "a buffer of " + storage.size + " bytes of " + storage.device.name();
  }
}
