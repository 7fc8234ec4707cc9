// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import java.lang.System.Logger.Level;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.hazard.HazardRecord;
import org.jhal.engine.hazard.TouchedMemory;
import org.jhal.engine.journal.Journal;
import org.jhal.engine.timeline.Failures;
import org.jhal.engine.timeline.ProgramCode;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a buffer, shared by the buffer, its slices, and the operations and mappings that
 * use it (rule M1). {@link #endNative} frees it when the last reference is gone or when the device
 * closes; for a dealloca, {@code DeallocaWork} does.
 *
 * <p>A storage may stand for another one, usually of another device, which it keeps alive.
 * Operations of one device use the memory of another in this way (rule S9b).
 *
 * <p>Thread-safe.
 */
public final class BufferStorage extends Owned {
  private static final System.Logger LOG = System.getLogger(BufferStorage.class.getName());

  private static final Set<BufferUsage> GLOBAL_USAGE =
      Set.of(BufferUsage.TRANSFER_SOURCE, BufferUsage.TRANSFER_TARGET);

  private enum Phase {
    /** Its alloca is not issued. */
    PROMISED,
    /** The memory is allocated. */
    PRESENT,
    /** A dealloca was issued. */
    DEALLOCATED,
    /** Freed with the last reference, or with the device. */
    FREED,
    /** Freed, and the program was notified that its memory is no longer used. */
    RELEASED
  }

  private static final VarHandle PHASE =
      ConstantBootstraps.fieldVarHandle(
          MethodHandles.lookup(), "phase", VarHandle.class, BufferStorage.class, Phase.class);

  public final DeviceCore<?> device;
  public final BufferParams params;
  public final long size;
  public final boolean isTransient; // from an alloca
  public final @Nullable BufferStorage
      peer; // the retained storage for which this one stands; never itself a stand-in
  private final boolean isImported; // not allocated by the device
  private final int usageBits; // one bit for each usage in params, by ordinal
  private final @Nullable Runnable onRelease;
  private final @Nullable PoolCharge charge; // null unless it is of a pool
  private final @Nullable RefCounted module; // retained; null unless this is a variable of it

  // Changed by any thread through compare-and-set.
  private volatile Phase phase;

  // Written once, by the constructor or by the drainer that issues the alloca, before PRESENT.
  private volatile @Nullable DeviceMemory memory;

  private volatile @Nullable String name; // given by the program

  private volatile @Nullable TouchedMemory touched; // null unless hazards are looked for; set once

  // Set once, by any thread.
  private volatile boolean isGivenBack; // the native runtime has finished with the memory

  /** A storage for memory to be allocated by an alloca. */
  public static BufferStorage promised(
      DeviceCore<?> device, BufferParams params, long size, @Nullable PoolCharge charge) {
    return new BufferStorage(device, params, size, null, false, null, null, null, charge);
  }

  /** A storage over memory that the device has allocated. */
  static BufferStorage allocated(
      DeviceCore<?> device, BufferParams params, long size, DeviceMemory memory) {
    BufferStorage made =
        new BufferStorage(device, params, size, memory, false, null, null, null, null);
    made.recordAllocated(memory, Journal.Origin.ALLOCATED, null);
    return made;
  }

  /**
   * A storage over memory that the caller owns.
   *
   * @param host its bytes if it is the program's; null if it is of a native runtime
   */
  static BufferStorage imported(
      DeviceCore<?> device,
      BufferParams params,
      long size,
      DeviceMemory memory,
      @Nullable ByteBuffer host,
      @Nullable Runnable onRelease) {
    BufferStorage made =
        new BufferStorage(device, params, size, memory, true, null, onRelease, null, null);
    made.recordAllocated(memory, host == null ? Journal.Origin.NATIVE : Journal.Origin.HOST, host);
    return made;
  }

  /**
   * A storage over a variable of a module, for transfers.
   *
   * @param loaded what keeps the module loaded; takes over the caller's reference
   */
  static BufferStorage ofGlobal(
      DeviceCore<?> device,
      DeviceMemory memory,
      RefCounted loaded,
      KernelModule module,
      Global global) {
    BufferParams params = new BufferParams(MemoryType.DEVICE, GLOBAL_USAGE);
    BufferStorage made =
        new BufferStorage(device, params, global.bytes(), memory, true, null, null, loaded, null);
    made.name = global.name();
    Journal journal = device.journal();
    if (journal != null) {
      journal.global(memory, module, global);
      made.recordName();
    }
    return made;
  }

  /**
   * A storage of {@code device} that stands for {@code home}, which has memory of its own. Takes
   * over the caller's reference to {@code home} unless it throws.
   *
   * @param usage what it is for
   */
  static BufferStorage over(DeviceCore<?> device, BufferStorage home, Set<BufferUsage> usage) {
    BufferParams params = new BufferParams(home.params.type(), usage);
    return new BufferStorage(device, params, home.size, null, true, home, null, null, null);
  }

  /** Why operations of {@code user}, perhaps another device, cannot use it; null if they can. */
  public @Nullable String refusalFor(DeviceCore<?> user) {
    BufferStorage home = home();
    String refusal = home.device == user ? null : user.peers().refusal(home.device);
    return refusal != null ? refusal : home.notForPeers();
  }

  /** Whether the memory is its own device's, allocated by that device. */
  public boolean isOnDevice() {
    return peer == null && !isImported && params.type() == MemoryType.DEVICE;
  }

  private BufferStorage(
      DeviceCore<?> device,
      BufferParams params,
      long size,
      @Nullable DeviceMemory memory,
      boolean isImported,
      @Nullable BufferStorage peer,
      @Nullable Runnable onRelease,
      @Nullable RefCounted module,
      @Nullable PoolCharge charge) {
    super(device.resources().storages);
    this.device = device;
    this.params = params;
    this.size = size;
    this.memory = memory;
    this.isImported = isImported;
    this.peer = peer;
    this.isTransient = memory == null && peer == null;
    int bits = 0;
    for (BufferUsage usage : params.usage()) {
      bits |= 1 << usage.ordinal();
    }
    this.usageBits = bits;
    this.onRelease = onRelease;
    this.module = module;
    this.charge = charge;
    this.phase = isTransient ? Phase.PROMISED : Phase.PRESENT;
  }

  private void recordAllocated(
      @Nullable DeviceMemory made, Journal.Origin origin, @Nullable ByteBuffer imported) {
    Journal journal = device.journal();
    if (journal != null && made != null) {
      journal.allocated(made, size, params, origin, imported);
    }
  }

  private void recordFreed(@Nullable DeviceMemory gone) {
    Journal journal = device.journal();
    if (journal != null && gone != null) {
      journal.freed(gone);
    }
  }

  private boolean changePhase(Phase from, Phase to) {
    return PHASE.compareAndSet(this, from, to);
  }

  /**
   * The memory.
   *
   * @throws HalException FAILED_PRECONDITION before it is allocated and after it is freed
   */
  public DeviceMemory memory() {
    BufferStorage other = peer;
    Phase now = phase;
    if (other != null && now == Phase.PRESENT) {
      return other.memory();
    }
    DeviceMemory found = memory;
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

  /** What is recorded of its memory, for {@link HazardRecord}. */
  public TouchedMemory touched() {
    BufferStorage home = home();
    TouchedMemory known = home.touched;
    if (known != null) {
      return known;
    }
    synchronized (home) {
      TouchedMemory made = home.touched == null ? new TouchedMemory(home.describe()) : home.touched;
      home.touched = made;
      return made;
    }
  }

  /** Gives its memory a name, for people. */
  void setName(String given) {
    BufferStorage home = home();
    synchronized (home) {
      home.name = given;
      if (home.touched != null) {
        home.touched.setDescription(home.describe());
      }
    }
    home.recordName();
  }

  /** The name of its memory; null if it has none. */
  @Nullable String name() {
    return home().name;
  }

  private void recordName() {
    Journal journal = device.journal();
    DeviceMemory named = memory;
    String given = name;
    if (journal != null && named != null && given != null) {
      journal.named(named, given);
    }
  }

  /** The storage for which this one stands, or this one if it has memory of its own. */
  public BufferStorage home() {
    return peer == null ? this : peer;
  }

  /** Why no other device can use the memory; null if those with access can. */
  @Nullable String notForPeers() {
    if (module != null) {
      return "it is a variable of kernels";
    }
    if (isImported) {
      return "it was imported, not allocated by its device";
    }
    return params.type() == MemoryType.DEVICE
        ? null
        : "it is " + params.type() + " memory; only DEVICE memory can be used by another device";
  }

  /** Stores the memory of an alloca. Called by the drainer. */
  public void commit(DeviceMemory allocated) {
    memory = allocated;
    if (!changePhase(Phase.PROMISED, Phase.PRESENT)) {
      throw new HalException(Status.INTERNAL, "alloca issued twice");
    }
    recordAllocated(allocated, Journal.Origin.ALLOCATED, null);
    recordName();
    device.addBytes(size, params);
    if (charge != null) {
      charge.hold();
    }
  }

  /** Whether a dealloca was issued; an unclosed buffer then leaks nothing. */
  boolean isDeallocated() {
    return phase == Phase.DEALLOCATED;
  }

  /**
   * Claims the memory for a dealloca that is being issued. From then on nothing else frees it.
   *
   * @throws HalException FAILED_PRECONDITION if there is no memory to free
   */
  public DeviceMemory beginDealloca() {
    DeviceMemory found = memory();
    if (!changePhase(Phase.PRESENT, Phase.DEALLOCATED)) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "buffer is being deallocated by another operation");
    }
    device.addBytes(-size, params);
    return found;
  }

  /** The dealloca was issued. The storage is empty, whether or not its owner closes it. */
  public void endDealloca() {
    recordFreed(memory);
    device.resources().storages.remove(this);
    endCharge();
  }

  /** The dealloca could not be issued. */
  public void undoDealloca() {
    if (changePhase(Phase.DEALLOCATED, Phase.PRESENT)) {
      device.addBytes(size, params);
    }
  }

  /** Whether an operation may write it. */
  public boolean isWritable() {
    return allows(1 << BufferUsage.DISPATCH_WRITE.ordinal())
        || allows(1 << BufferUsage.TRANSFER_TARGET.ordinal());
  }

  /** Whether the buffer allows all usages in these bits. */
  public boolean allows(int wantedBits) {
    return (usageBits & wantedBits) == wantedBits;
  }

  @Override
  protected String describe() {
    return (name == null ? "a buffer of " : "the buffer '" + name + "' of ")
        + size
        + " bytes of "
        + device.name();
  }

  @Override
  protected boolean isSpent() {
    return isDeallocated() || module != null; // the executable leaks, not its variables
  }

  @Override
  protected void unused() {
    if (isDeallocated() || peer != null) {
      endOnce(); // not through this device, which may be closed; freeing may call the peer's
    } else {
      device.calls().free("the memory of a buffer", this::endOnce);
    }
  }

  /** Frees the memory. This is the only place where memory is freed outside a stream. */
  @Override
  protected void endNative() {
    DeviceMemory found = memory;
    if (peer != null && changePhase(Phase.PRESENT, Phase.FREED)) {
      peer.release();
      givenBack();
    } else if (found != null && changePhase(Phase.PRESENT, Phase.FREED)) {
      recordFreed(found);
      try {
        found.free(this::givenBack);
      } finally {
        device.addBytes(-size, params); // whoever sees that finds room for as many
      }
      endCharge();
      if (module != null) {
        module.release();
      }
    }
  }

  private void endCharge() {
    if (charge != null) {
      charge.end();
    }
  }

  private void givenBack() {
    isGivenBack = true;
    // The driver may call this on any thread, and before endNative() is over. Its caller then
    // forgets the storage.
    if (hasEnded()) {
      forgetIfOver();
    }
  }

  /**
   * Also calls the user's {@code onRelease} once, as soon as the native runtime has finished with
   * the memory, which may take longer.
   */
  @Override
  protected void forgetIfOver() {
    super.forgetIfOver();
    if (isUnused()
        && isGivenBack
        && onRelease != null
        && changePhase(Phase.FREED, Phase.RELEASED)) {
      runOnRelease(onRelease, "memory");
    }
  }

  /** Runs the user's callback for an imported object that nothing uses. */
  public static void runOnRelease(Runnable onRelease, String what) {
    Throwable thrown = ProgramCode.releaseCallback(onRelease);
    if (thrown != null) {
      Failures.log(LOG, Level.ERROR, "the release callback of imported " + what + " threw", thrown);
    }
  }
}
