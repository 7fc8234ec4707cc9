// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owner;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.timeline.GivenName;
import org.jspecify.annotations.Nullable;

/**
 * A buffer or a slice of one: a range of a {@link BufferStorage}.
 *
 * <p>Thread-safe.
 */
public final class EngineBuffer implements DeviceBuffer {
  public final BufferStorage storage;
  public final long offset; // from the start of the storage
  private final long size;
  private final @Nullable Owner owner; // null for an alias
  private final @Nullable EngineBuffer root; // keeps the buffer of a slice reachable

  // Buffers that users pass.

  /** Returns {@code buffer} as the engine's type if {@code device} owns it and it is open. */
  public static EngineBuffer of(DeviceCore<?> device, String what, DeviceBuffer buffer) {
    EngineBuffer own = ownOrNull(device, what, buffer);
    if (own == null) {
      throw foreign(device, what, buffer, "");
    }
    return own;
  }

  /** As {@link #of}; the refusal says how to use another device's buffer. */
  public static EngineBuffer usable(DeviceCore<?> device, String what, DeviceBuffer buffer) {
    EngineBuffer own = ownOrNull(device, what, buffer);
    if (own == null) {
      throw foreign(device, what, buffer, remedy(device, buffer));
    }
    return own;
  }

  private static @Nullable EngineBuffer ownOrNull(
      DeviceCore<?> device, String what, DeviceBuffer buffer) {
    Objects.requireNonNull(buffer, what);
    if (!(buffer instanceof EngineBuffer own) || own.storage.device != device) {
      return null;
    }
    own.checkOpen(what);
    return own;
  }

  /** Refuses a buffer of another device; {@code remedy} is the end of the message. */
  public static HalException foreign(
      DeviceCore<?> device, String what, DeviceBuffer buffer, String remedy) {
    DeviceCore<?> other = buffer instanceof EngineBuffer engine ? engine.core() : null;
    return new HalException(
        Status.INVALID_ARGUMENT,
        what + ": " + buffer + " belongs to " + Checks.otherThan(device, other) + remedy);
  }

  private static String remedy(DeviceCore<?> device, DeviceBuffer buffer) {
    if (!(buffer instanceof EngineBuffer other) || other.core().name().equals(device.name())) {
      return ""; // Checks.otherThan() explains
    }
    return device.peers().canAccess(other.storage.home().device)
            && !other.storage.home().isTransient
            && other.storage.refusalFor(device) == null
        ? "; importPeer makes it usable there"
        : "; copy it";
  }

  // Making one.

  /** Creates the buffer that owns {@code storage} and takes over its first reference. */
  public EngineBuffer(BufferStorage storage) {
    this(storage, 0, storage.size);
  }

  /** As {@link #EngineBuffer(BufferStorage)}, for a range of the storage. */
  EngineBuffer(BufferStorage storage, long offset, long size) {
    this.storage = storage;
    this.offset = offset;
    this.size = size;
    this.root = null;
    this.owner = storage.ownedBy(this, storage.device.tracesLeaks());
  }

  private EngineBuffer(
      BufferStorage storage,
      long offset,
      long size,
      @Nullable EngineBuffer root,
      @Nullable Owner owner) {
    this.storage = storage;
    this.offset = offset;
    this.size = size;
    this.root = root;
    this.owner = owner;
  }

  /**
   * Creates the buffer over a variable of a module. In a call of the device.
   *
   * @param loaded what keeps the module loaded; the memory retains it
   * @throws HalException FAILED_PRECONDITION if the module is unloaded
   */
  public static EngineBuffer ofGlobal(
      DeviceCore<?> device,
      DeviceMemory memory,
      RefCounted loaded,
      KernelModule module,
      Global global) {
    if (!loaded.tryRetain()) {
      throw new HalException(Status.FAILED_PRECONDITION, "the executable is closed");
    }
    BufferStorage storage = null;
    try {
      storage = BufferStorage.ofGlobal(device, memory, loaded, module, global);
    } finally {
      if (storage == null) { // no memory
        loaded.release();
      }
    }
    device.resources().storages.add(storage);
    device.addBytes(storage.size, storage.params);
    return new EngineBuffer(storage);
  }

  /**
   * Creates another handle to the same range, for use within the engine. It stays usable after the
   * user has closed the buffer, as long as the caller holds a reference to the storage.
   */
  public EngineBuffer alias() {
    return new EngineBuffer(storage, offset, size, this, null);
  }

  /** As {@link #alias}, over a storage that stands for this buffer's. */
  public EngineBuffer aliasOver(BufferStorage standIn) {
    return new EngineBuffer(standIn, offset, size, null, null);
  }

  @Override
  public Device device() {
    return storage.device.view();
  }

  public DeviceCore<?> core() {
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

  public boolean isSlice() {
    return root != null;
  }

  @Override
  public DeviceBuffer named(String name) {
    GivenName.check("buffer", name);
    storage.setName(name);
    return this;
  }

  @Override
  public DeviceBuffer slice(long sliceOffset, long length) {
    checkOpen("buffer to slice");
    Checks.range("slice", sliceOffset, length, size);
    EngineBuffer whole = root == null ? this : root;
    return new EngineBuffer(storage, offset + sliceOffset, length, whole, owner);
  }

  public boolean isOpen() {
    return owner == null || !owner.isClosed();
  }

  /**
   * Checks that the buffer is open; {@code what} names the argument.
   *
   * @throws HalException FAILED_PRECONDITION if it is closed
   */
  public void checkOpen(String what) {
    if (!isOpen()) {
      throw closed(what);
    }
  }

  /** Refuses a use that the buffer does not allow; {@code what} names the argument. */
  public void checkUsage(String what, BufferUsage usage) {
    boolean isMapping = usage == BufferUsage.MAP_READ || usage == BufferUsage.MAP_WRITE;
    if (!storage.allows(1 << usage.ordinal())) {
      throw new HalException(
          Status.PERMISSION_DENIED,
          what
              + ": "
              + this
              + " was made for "
              + params().usage()
              + ", not for "
              + usage
              + (isMapping && params().type() == MemoryType.DEVICE
                  ? "; the host can map SHARED and HOST memory, not DEVICE memory"
                  : ""));
    }
  }

  public void checkUsages(String what, Collection<BufferUsage> usages) {
    for (BufferUsage usage : usages) {
      checkUsage(what, usage);
    }
  }

  /**
   * Takes a reference to the storage on behalf of a user of this buffer.
   *
   * @throws HalException FAILED_PRECONDITION if the buffer is closed
   */
  public void retainStorage() {
    if (!isOpen() || !storage.tryRetain()) {
      throw closed("buffer");
    }
  }

  /**
   * Creates a storage of {@code device} that stands for the one with this buffer's memory.
   *
   * @throws HalException FAILED_PRECONDITION if the buffer is closed
   */
  public BufferStorage standIn(DeviceCore<?> device) {
    // Never stands for a stand-in, which its own device may free earlier, when it closes.
    BufferStorage home = storage.home();
    Set<BufferUsage> usage = EnumSet.noneOf(BufferUsage.class);
    usage.addAll(params().usage());
    usage.removeAll(Set.of(BufferUsage.MAP_READ, BufferUsage.MAP_WRITE));
    if (!isOpen() || !home.tryRetain()) {
      throw closed("buffer");
    }
    BufferStorage made = null;
    try {
      made = BufferStorage.over(device, home, usage);
      return made;
    } finally {
      if (made == null) { // no memory
        home.release();
      }
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
    checkUsages("mapped buffer", wanted);
    Checks.range("mapping", mapOffset, length, size);
    if (length > Integer.MAX_VALUE) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "mapping of " + length + " bytes; one mapping has at most " + Integer.MAX_VALUE);
    }
    retainStorage();
    boolean isMapped = false;
    try {
      Mapping mapping = EngineMapping.of(this, offset + mapOffset, (int) length, mode);
      isMapped = true;
      return mapping;
    } finally {
      if (!isMapped) {
        storage.release();
      }
    }
  }

  @Override
  public void close() {
    if (root == null && owner != null) {
      owner.close();
      Reference.reachabilityFence(
          this); // otherwise it might be reported as a leak during the close
    }
  }

  @Override
  public String toString() {
    String name = storage.name();
    return (root == null ? "buffer " : "slice ")
        + (name == null ? "of " : "'" + name + "' of ")
        + size
        + " bytes of "
        + storage.device.name()
        + (storage.peer == null ? "" : ", over memory of " + storage.peer.device.name());
  }
}
