package org.jhal.engine;

import org.jspecify.annotations.Nullable;

/**
 * The owner's reference to a {@link BufferStorage}, kept by that while {@link LiveStorages} keep
 * it.
 */
final class BufferOwner extends Owner {
  private final BufferStorage storage;

  /** Owns {@code storage} for {@code buffer}. */
  BufferOwner(EngineBuffer buffer, BufferStorage storage) {
    super(buffer, storage, trace(storage));
    this.storage = storage;
    storage.setOwner(this);
  }

  private static @Nullable Throwable trace(BufferStorage storage) {
    return storage.device.tracesLeaks() ? new Throwable("the buffer was made here") : null;
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
