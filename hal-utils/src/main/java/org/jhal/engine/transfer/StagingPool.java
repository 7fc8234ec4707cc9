// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.support.Attempt;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.timeline.Failures;
import org.jspecify.annotations.Nullable;

/**
 * Host memory that bytes are staged in: a few chunks, made when they are first needed and kept
 * until the device is closed. A chunk that a transfer may still use is out of the pool, so the
 * memory is bounded whatever fails (rule K7).
 *
 * <p>There are two ways to get a chunk. A user that {@linkplain #request requests} one waits in
 * line, so many users share the chunks fairly. That is for transfers in one stream: a queue has a
 * pool of its own for files, since a chunk stays in use for as long as the queue's stream is
 * blocked, which must not hold up other queues (rule Q4). A caller that {@linkplain #take takes}
 * one never waits, and gets a small piece of the heap if there is none. That is for transfers of
 * several devices, any of which may be blocked.
 *
 * <p>Thread-safe.
 */
public class StagingPool {
  /** The size of a chunk. A larger one is not faster, since several are under way at a time. */
  public static final int CHUNK_BYTES = 4 << 20;

  /** How many chunks there are at most. */
  public static final int CHUNKS = 4;

  private static final int SMALL_BYTES = 256 << 10;

  private static final System.Logger LOG = System.getLogger(StagingPool.class.getName());

  /** A user that waits for a chunk. Each request leads to exactly one call of one method. */
  public interface User {
    /** Called on a file thread. The user must {@link Loan#end} the loan. Throws nothing. */
    void use(Loan loan);

    /**
     * Called on any thread: there is no memory for a chunk, or no thread any more. Throws nothing.
     */
    void refuse(HalException cause);
  }

  private final DeviceCore<?> device;
  private final boolean isPinned;

  // While a user waits, no chunk is free and `made` is CHUNKS.
  @GuardedBy("this")
  private final Deque<ByteBuffer> free = new ArrayDeque<>();

  @GuardedBy("this")
  private final Queue<User> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private int made; // chunks that exist or are being made

  @GuardedBy("this")
  private final List<DeviceMemory> owned = new ArrayList<>(); // the memory of pinned chunks

  /**
   * Creates a pool without chunks.
   *
   * @param isPinned whether chunks are pinned if the device can do that. They are freed with the
   *     device, so no other device may use them.
   */
  public StagingPool(DeviceCore<?> device, boolean isPinned) {
    this.device = device;
    this.isPinned = isPinned;
  }

  /** Memory that one user has until it ends the loan. For one thread at a time. */
  public final class Loan implements Runnable {
    private final ByteBuffer bytes;
    private final boolean isChunk; // rather than a piece of the heap
    private final AtomicBoolean isBack = new AtomicBoolean();
    private @Nullable HostMemory latest; // of the latest transfers; those before are over

    private Loan(ByteBuffer bytes, boolean isChunk) {
      this.bytes = bytes;
      this.isChunk = isChunk;
    }

    public int size() {
      return bytes.capacity();
    }

    /** The first {@code size} bytes. */
    public ByteBuffer bytes(int size) {
      return bytes.duplicate().clear().limit(size);
    }

    /** The first {@code size} bytes, for the next transfers. Those before must be over. */
    public HostMemory memory(int size) {
      HostMemory memory = HostMemory.of(bytes(size));
      latest = memory;
      return memory;
    }

    /**
     * Gives the memory back once no transfer uses it. A failed transfer may still use it, on a lost
     * device for as long as that is open; all users that wait for a chunk are then refused.
     */
    public void end() {
      if (latest == null) {
        giveBack();
      } else {
        latest.onFree(this::giveBack);
        refuseIfLost();
      }
    }

    private void giveBack() {
      Throwable thrown = Attempt.of(this);
      if (thrown != null) {
        // Rule E2: a user that waits might never get a chunk. This may run in a callback of host
        // memory, which only logs what it throws.
        device.loseBecause(thrown);
      }
    }

    /** Does nothing if the memory is back, as another user may have it. */
    @Override
    public void run() {
      if (isChunk && isBack.compareAndSet(false, true)) {
        pass(bytes);
      }
    }
  }

  // Without waiting.

  /**
   * Returns a chunk; or a piece of the heap, if no chunk is free or a piece has room for {@code
   * wanted} bytes. May block while a chunk is made.
   *
   * @param wanted how many bytes there are to move, at least 1
   * @throws HalException RESOURCE_EXHAUSTED if the heap has no room
   */
  public Loan take(long wanted) {
    ByteBuffer chunk = wanted > SMALL_BYTES ? takeChunk() : null;
    if (chunk != null) {
      return new Loan(chunk, true);
    }
    int size = (int) Math.min(SMALL_BYTES, wanted);
    try {
      return new Loan(ByteBuffer.allocate(size), false);
    } catch (OutOfMemoryError e) {
      throw noMemory(size, e);
    }
  }

  private @Nullable ByteBuffer takeChunk() {
    synchronized (this) {
      ByteBuffer chunk = free.poll();
      if (chunk != null || made == CHUNKS) {
        return chunk;
      }
      made++;
    }
    try {
      return make();
    } catch (HalException e) {
      pass(null);
      return null;
    }
  }

  // In line.

  /** Calls {@code user} with a chunk as soon as there is one. Does not block. */
  public void request(User user) {
    ByteBuffer chunk;
    boolean waits;
    synchronized (this) {
      chunk = free.poll();
      waits = chunk == null && made == CHUNKS;
      if (waits) {
        waiting.add(user);
      } else if (chunk == null) {
        made++;
      }
    }
    if (waits) {
      refuseIfLost(); // the last chunk may have been kept before the user was added
    } else {
      handOn(user, chunk);
    }
  }

  /**
   * Refuses all waiting users if the device is lost: memory in use may be kept until the device is
   * closed, so no chunk may ever come back.
   */
  void refuseIfLost() {
    HalException cause = device.lostCause();
    if (cause == null) {
      return;
    }
    List<User> refused;
    synchronized (this) {
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    refused.forEach(user -> user.refuse(cause));
  }

  /** Gives a chunk to the first user that waits, or leaves it. If null, it was not made. */
  private void pass(@Nullable ByteBuffer chunk) {
    User next = nextOrLeave(chunk);
    if (next != null) {
      handOn(next, chunk);
    }
  }

  /**
   * Gives a chunk to {@code user}, or to the first user behind it that can take one. If it is null,
   * the chunk is still to be made.
   */
  private void handOn(User user, @Nullable ByteBuffer chunk) {
    for (User next = user; next != null; ) {
      User taker = next;
      try {
        device.pools().fileThreads().execute(() -> serve(taker, chunk));
        return;
      } catch (RejectedExecutionException e) { // the device is closed, or no thread can be started
        taker.refuse(Failures.aborted("no thread for staged bytes: ", e));
        next = nextOrLeave(chunk);
      }
    }
  }

  /** The next user, or null, which leaves the chunk unused. */
  private synchronized @Nullable User nextOrLeave(@Nullable ByteBuffer chunk) {
    User next = waiting.poll();
    if (next == null) {
      if (chunk == null) {
        made--;
      } else {
        free.push(chunk);
      }
    }
    return next;
  }

  private void serve(User user, @Nullable ByteBuffer chunk) {
    ByteBuffer given = chunk;
    if (given == null) {
      try {
        given = make();
      } catch (HalException e) {
        user.refuse(e);
        pass(null);
        return;
      }
    }
    user.use(new Loan(given, true));
  }

  // The memory.

  /**
   * Makes a chunk, which takes a millisecond if it is pinned. Not private: tests let it fail.
   *
   * @throws HalException RESOURCE_EXHAUSTED if there is no memory
   */
  ByteBuffer make() {
    if (isPinned) {
      try {
        return device.calls().call(() -> makePinned(device.backend()));
      } catch (RuntimeException e) {
        // Any other memory serves as well, and more slowly. If the device is closing, it accepts no
        // more such calls, and the transfers that it still waits for go on.
        Failures.log(LOG, Level.DEBUG, device.name() + ": no pinned memory for files: " + e, null);
      }
    }
    try {
      return ByteBuffer.allocateDirect(CHUNK_BYTES);
    } catch (OutOfMemoryError e) { // direct memory has a limit of its own
      throw noMemory(CHUNK_BYTES, e);
    }
  }

  private static HalException noMemory(int bytes, OutOfMemoryError thrown) {
    return new HalException(
        Status.RESOURCE_EXHAUSTED,
        "the host has no " + bytes + " bytes of memory to stage in: " + thrown.getMessage(),
        thrown);
  }

  private ByteBuffer makePinned(DeviceBackend<?> backend) {
    if (!backend.supports(BufferParams.HOST)) {
      throw new HalException(Status.UNIMPLEMENTED, "no memory of type HOST");
    }
    DeviceMemory memory = backend.allocate(CHUNK_BYTES, BufferParams.HOST);
    synchronized (this) {
      owned.add(memory);
    }
    return memory.map(0, CHUNK_BYTES).bytes();
  }

  /** How many chunks exist, free or in use. */
  synchronized int chunks() {
    return made;
  }

  synchronized int freeChunks() {
    return free.size();
  }

  /** Frees all chunks, with the device bound. Nothing uses pinned ones any more. Blocks. */
  public void free() {
    List<DeviceMemory> all;
    synchronized (this) {
      made -= free.size();
      free.clear();
      all = List.copyOf(owned);
      owned.clear();
    }
    for (DeviceMemory memory : all) {
      memory.free();
    }
  }
}
