package org.jhal.engine;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A buffer or a slice of one: a range of a {@link BufferStorage}.
 *
 * <p>Thread-safe.
 */
final class EngineBuffer implements DeviceBuffer {
  final BufferStorage storage;
  final long offset; // from the start of the storage
  private final long size;
  private final @Nullable BufferOwner owner; // null for an alias, which owns nothing
  private final @Nullable EngineBuffer root; // keeps the buffer of a slice reachable

  /** Creates the buffer that owns {@code storage}, and takes over its first reference. */
  EngineBuffer(BufferStorage storage) {
    this(storage, 0, storage.size);
  }

  /**
   * Creates a buffer that owns {@code storage}, takes over its first reference, and is a range of
   * it.
   */
  static EngineBuffer over(BufferStorage storage, long offset, long size) {
    return new EngineBuffer(storage, offset, size);
  }

  private EngineBuffer(BufferStorage storage, long offset, long size) {
    this.storage = storage;
    this.offset = offset;
    this.size = size;
    this.root = null;
    this.owner = new BufferOwner(this, storage);
  }

  /**
   * Creates a handle to the same range of a storage that stands for this buffer's, as {@link
   * #alias} does.
   */
  EngineBuffer aliasOver(BufferStorage standIn) {
    return new EngineBuffer(standIn, this, null);
  }

  private EngineBuffer(BufferStorage standIn, EngineBuffer range, @Nullable BufferOwner owner) {
    this.storage = standIn;
    this.offset = range.offset;
    this.size = range.size;
    this.root = null;
    this.owner = owner;
  }

  private EngineBuffer(EngineBuffer root, long offset, long size, @Nullable BufferOwner owner) {
    this.storage = root.storage;
    this.offset = offset;
    this.size = size;
    this.root = root;
    this.owner = owner;
  }

  /**
   * Creates another handle to the same range, for use within the engine. It stays usable after the
   * user has closed the buffer, as long as the caller holds a reference to the storage.
   */
  EngineBuffer alias() {
    return new EngineBuffer(this, offset, size, null);
  }

  @Override
  public EngineDevice<?> device() {
    return storage.device;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public BufferParams params() {
    return storage.params;
  }

  boolean isSlice() {
    return root != null;
  }

  @Override
  public DeviceBuffer slice(long sliceOffset, long length) {
    checkOpen("buffer to slice");
    Validation.range("slice", sliceOffset, length, size);
    EngineBuffer whole = root == null ? this : root;
    return new EngineBuffer(whole, offset + sliceOffset, length, owner);
  }

  boolean isOpen() {
    return owner == null || !owner.isClosed();
  }

  /**
   * Checks that the buffer is open; {@code what} names the argument.
   *
   * @throws HalException FAILED_PRECONDITION if it is closed
   */
  void checkOpen(String what) {
    if (!isOpen()) {
      throw closed(what);
    }
  }

  /**
   * Takes a reference to the storage on behalf of a user of this buffer.
   *
   * @throws HalException FAILED_PRECONDITION if the buffer is closed
   */
  void retainStorage() {
    if (!isOpen() || !storage.tryRetain()) {
      throw closed("buffer");
    }
  }

  private HalException closed(String what) {
    return new HalException(Status.FAILED_PRECONDITION, what + ": " + this + " is closed");
  }

  @Override
  public Mapping map(long mapOffset, long length, MapMode mode) {
    Objects.requireNonNull(mode, "mode");
    List<BufferUsage> wanted = new ArrayList<>();
    if (mode == MapMode.READ || mode == MapMode.READ_WRITE) {
      wanted.add(BufferUsage.MAP_READ);
    }
    if (mode != MapMode.READ) {
      wanted.add(BufferUsage.MAP_WRITE);
    }
    checkOpen("buffer to map");
    Validation.usage("mapped buffer", this, wanted);
    Validation.range("mapping", mapOffset, length, size);
    if (length > Integer.MAX_VALUE) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "mapping of " + length + " bytes; one mapping has at most " + Integer.MAX_VALUE);
    }
    retainStorage();
    try {
      return EngineMapping.of(this, offset + mapOffset, (int) length, mode);
    } catch (RuntimeException | Error e) {
      storage.release();
      throw e;
    }
  }

  @Override
  public void close() {
    if (root == null && owner != null) {
      owner.close();
      Reference.reachabilityFence(this); // or it might be reported as a leak while it is closed
    }
  }

  @Override
  public String toString() {
    return (root == null ? "buffer of " : "slice of ")
        + size
        + " bytes of "
        + storage.device.name()
        + (storage.peer == null ? "" : ", over memory of " + storage.peer.device.name());
  }
}
