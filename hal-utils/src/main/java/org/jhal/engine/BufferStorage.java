package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.Cascade;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a buffer, shared by the buffer, its slices and everything that uses them; and its
 * life (rule M1).
 *
 * <p>Thread-safe.
 */
final class BufferStorage extends RefCounted {
  private static final System.Logger LOG = System.getLogger(BufferStorage.class.getName());

  private enum Phase {
    /** From an alloca that has not been issued. */
    PROMISED,
    /** The memory is there. */
    PRESENT,
    /** A dealloca was issued. */
    DEALLOCATED,
    /** Freed, with the last reference or with the device. */
    FREED
  }

  private static final VarHandle PHASE;
  private static final VarHandle IS_OVER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PHASE = lookup.findVarHandle(BufferStorage.class, "phase", Phase.class);
      IS_OVER = lookup.findVarHandle(BufferStorage.class, "isOver", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final EngineDevice<?> device;
  final BufferParams params;
  final long size;
  final boolean isTransient; // from an alloca
  private final int usageBits; // of params, by ordinal
  private final @Nullable Runnable onRelease;
  private volatile Phase phase;

  @SuppressWarnings("UnusedVariable") // through its handle
  private volatile boolean isOver; // onRelease was called

  private volatile @Nullable DeviceMemory memory; // set once, before PRESENT
  private volatile boolean isUnused; // the last reference is gone
  private volatile boolean isFreed; // free() was called, and the driver has done what it does then
  private volatile boolean isGivenBack; // the driver has done the rest: nothing native is left

  @SuppressWarnings("UnusedVariable") // keeps it reachable
  private @Nullable BufferOwner owner;

  // Of the list of live storages, guarded by it.
  @Nullable BufferStorage previousLive;
  @Nullable BufferStorage nextLive;
  boolean isLive;

  BufferStorage(
      EngineDevice<?> device,
      BufferParams params,
      long size,
      @Nullable DeviceMemory memory,
      @Nullable Runnable onRelease) {
    this.device = device;
    this.params = params;
    this.size = size;
    this.memory = memory;
    this.isTransient = memory == null;
    int bits = 0;
    for (BufferUsage usage : params.usage()) {
      bits |= 1 << usage.ordinal();
    }
    this.usageBits = bits;
    this.onRelease = onRelease;
    this.phase = isTransient ? Phase.PROMISED : Phase.PRESENT;
  }

  /** Has an owner from here on, whose reference is the first. */
  void setOwner(BufferOwner newOwner) {
    owner = newOwner;
  }

  private boolean changePhase(Phase from, Phase to) {
    return PHASE.compareAndSet(this, from, to);
  }

  /**
   * The memory.
   *
   * @throws HalException FAILED_PRECONDITION if it is not there yet, or not any more
   */
  DeviceMemory memory() {
    DeviceMemory found = memory;
    Phase now = phase;
    if (now != Phase.PRESENT || found == null) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          switch (now) {
            case PROMISED ->
                "buffer is used before its alloca was issued; order the use behind the alloca's signal";
            case DEALLOCATED -> "buffer is used after its dealloca was issued";
            default -> "buffer is used after its memory was freed";
          });
    }
    return found;
  }

  /** The alloca was issued. */
  void commit(DeviceMemory allocated) {
    memory = allocated;
    if (!changePhase(Phase.PROMISED, Phase.PRESENT)) {
      throw new HalException(Status.INTERNAL, "alloca issued twice");
    }
    device.resources().addBytes(size);
  }

  /**
   * Whether a dealloca has taken the memory, so that nothing is lost if nobody closes the buffer.
   */
  boolean isDeallocated() {
    return phase == Phase.DEALLOCATED;
  }

  /**
   * A dealloca is being issued: nobody else may free the memory.
   *
   * @throws HalException FAILED_PRECONDITION if there is none to free
   */
  DeviceMemory beginDealloca() {
    DeviceMemory found = memory();
    if (!changePhase(Phase.PRESENT, Phase.DEALLOCATED)) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "buffer is being deallocated by another operation");
    }
    device.resources().addBytes(-size);
    return found;
  }

  /** The dealloca was issued: this holds nothing any more, whether or not its owner closes it. */
  void endDealloca() {
    device.resources().storages().remove(this);
  }

  /** The dealloca could not be issued. */
  void undoDealloca() {
    if (changePhase(Phase.DEALLOCATED, Phase.PRESENT)) {
      device.resources().addBytes(size);
    }
  }

  /** Whether the buffer was made for all usages with these bits. */
  boolean allows(int wantedBits) {
    return (usageBits & wantedBits) == wantedBits;
  }

  @Override
  protected void destroy() {
    isUnused = true;
    if (isDeallocated()) {
      isFreed = true;
    } else {
      device.calls().free("the memory of a buffer", this::free);
    }
    endIfOver();
  }

  /**
   * Ends it when nobody uses it any more and it was freed. Both may come last: a buffer may be
   * closed while its device is being closed, and is then freed by that. Its owner is told, once,
   * when the native runtime has given the memory back as well, which may take its time.
   */
  void endIfOver() {
    if (isUnused && isFreed) {
      device.resources().storages().remove(this);
    }
    if (isUnused && isGivenBack && onRelease != null && IS_OVER.compareAndSet(this, false, true)) {
      runOnRelease(onRelease);
    }
  }

  private static void runOnRelease(Runnable onRelease) {
    Cascade cascade = Cascade.current();
    cascade.enterCallback();
    try {
      onRelease.run();
    } catch (Throwable t) { // the user's; whoever dropped the last reference goes on
      LOG.log(Level.ERROR, "the release callback of imported memory threw", t);
    } finally {
      cascade.leaveCallback();
    }
  }

  /** Frees what is there, once: when the last user is gone, or with the device. */
  void free() {
    DeviceMemory found = memory;
    try {
      if (found != null && changePhase(Phase.PRESENT, Phase.FREED)) {
        device.resources().addBytes(-size);
        found.free(this::givenBack);
      }
    } finally {
      isFreed = true;
    }
  }

  private void givenBack() {
    isGivenBack = true;
    if (isFreed) { // else whoever frees it right now ends it, once out of the driver
      endIfOver();
    }
  }
}
