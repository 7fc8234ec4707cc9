package org.jhal.engine;

/**
 * The owner's reference to a {@link BufferStorage}, kept by that while {@link LiveStorages} keep
 * it.
 */
final class BufferOwner extends Owner {
  private final BufferStorage storage;

  /** Owns {@code storage} for {@code buffer}. */
  BufferOwner(EngineBuffer buffer, BufferStorage storage) {
    super(buffer, storage, storage.device, "buffer");
    this.storage = storage;
    storage.setOwner(this);
  }

  /** A dealloca has taken the memory. */
  @Override
  boolean isOver() {
    return storage.isDeallocated();
  }

  @Override
  String describe() {
    return "a buffer of " + storage.size + " bytes of " + storage.device.name();
  }
}
