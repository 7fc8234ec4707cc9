// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.kernels.workgroup.SegmentedMemory;
import org.jhal.kernels.workgroup.Segments;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap at a constant address. It is freed when neither the engine nor a mapping
 * refers to it.
 *
 * <p>Behind each operation that runs native code on the memory, and when it is freed, it is checked
 * whether bytes around its {@link Block} have changed. The operation then fails; at a free the
 * device logs it.
 *
 * <p>Thread-safe.
 */
final class CpuMemory implements DeviceMemory, SegmentedMemory {
  /** The most that a byte buffer shows at once, a multiple of each element's size. */
  private static final int PIECE = 1 << 30;

  private static final Cleaner CLEANER = Cleaner.create();

  private final CpuDevice device;
  private final @Nullable MemoryBudget budget; // null if it is another's memory
  private final @Nullable ByteBuffer imported; // kept reachable
  private final Block block;
  private final AtomicLong references = new AtomicLong(1);
  private int views; // these two guarded by `this`: mappings that the program can still reach
  private boolean isAccountEnded;
  private volatile @Nullable Segments segments; // made when it is first needed

  private CpuMemory(
      CpuDevice device, @Nullable MemoryBudget budget, @Nullable ByteBuffer imported, Block block) {
    this.device = device;
    this.budget = budget;
    this.imported = imported;
    this.block = block;
  }

  static CpuMemory allocate(CpuDevice device, long size) {
    MemoryBudget budget = device.budget();
    budget.reserve(size);
    Block block = Block.allocate(size, device.check());
    if (block == null) {
      budget.giveBack(size);
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "the system has no " + size + " bytes of memory left");
    }
    return new CpuMemory(device, budget, null, block);
  }

  /** Memory of a direct byte buffer, from position 0 to its capacity. */
  static CpuMemory imported(CpuDevice device, ByteBuffer memory) {
    long address = Pointer.nativeValue(com.sun.jna.Native.getDirectBufferPointer(memory));
    return new CpuMemory(
        device, null, memory, Block.at(address, memory.capacity(), device.check()));
  }

  /** Memory of the program, at an address. */
  static CpuMemory at(CpuDevice device, long address, long size) {
    return new CpuMemory(device, null, null, Block.at(address, size, device.check()));
  }

  CpuDevice device() {
    return device;
  }

  long address() {
    return block.address();
  }

  Block block() {
    return block;
  }

  @Override
  public long size() {
    return block.size();
  }

  @Override
  public MappedRange map(long offset, int length) {
    ByteBuffer view = piece(offset, length);
    block.written(offset, length); // the program may write it at any time
    retain();
    synchronized (this) {
      views++;
    }
    CLEANER.register(view, this::releaseView);
    return () -> view;
  }

  /** The program cannot reach a mapping's view any more. */
  private void releaseView() {
    boolean lingered;
    synchronized (this) {
      views--;
      lingered = views == 0 && isAccountEnded;
    }
    release();
    if (lingered && budget != null) {
      budget.release(size());
    }
  }

  private ByteBuffer piece(long offset, int length) {
    return length == 0
        ? ByteBuffer.allocateDirect(0)
        : new Pointer(block.address()).getByteBuffer(offset, length).order(ByteOrder.nativeOrder());
  }

  /** Copies from memory of the host, in stream order. */
  void write(long offset, HostMemory source, long length) {
    block.written(offset, length);
    for (long done = 0; done < length; done += PIECE) {
      source.read(done, piece(offset + done, (int) Math.min(PIECE, length - done)));
    }
  }

  /** Copies to memory of the host, in stream order. */
  void read(long offset, HostMemory target, long length) {
    for (long done = 0; done < length; done += PIECE) {
      target.write(done, piece(offset + done, (int) Math.min(PIECE, length - done)));
    }
  }

  /** The bytes, valid while there is a reference. */
  @Override
  public Segments segments() {
    Segments made = segments;
    if (made == null) {
      made = Segments.of(size(), this::piece);
      segments = made;
    }
    return made;
  }

  /** A view that is valid until the memory is freed, to write to. */
  ByteBuffer bytes(long offset, long length) {
    block.written(offset, length);
    return piece(offset, (int) length);
  }

  /**
   * Returns the bytes to the budget, although work issued before may still use them. If the program
   * can reach a view of them, they linger.
   */
  void endAccount() {
    if (budget == null) {
      return;
    }
    synchronized (this) {
      isAccountEnded = true;
      if (views > 0) {
        budget.linger(size()); // with the monitor held: before their release
      } else {
        budget.giveBack(size());
      }
    }
  }

  @Override
  public void free() {
    endAccount();
    releaseOwner();
  }

  /** Drops the engine's reference. */
  void releaseOwner() {
    if (references.get() > 1) { // of a view, perhaps, which may live for long
      report(block.check());
    }
    release();
  }

  private void report(long found) {
    if (found != 0) {
      device.overwritten(Overwritten.message(device.name(), block, found));
    }
  }

  /** Keeps the memory until a {@link #release}, whoever frees it meanwhile. */
  void retain() {
    references.incrementAndGet();
  }

  /** Drops a reference. */
  void release() {
    if (references.decrementAndGet() == 0) {
      report(block.free()); // of another's memory nothing is freed
    }
  }
}
