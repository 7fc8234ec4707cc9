package org.jhal.engine.transfer;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The host memory through which one queue reads and writes files: a few chunks, page-locked where
 * the device can do that, made when they are first needed and kept until the device is closed.
 * Users get them in the order in which they ask.
 *
 * <p>Each queue has its own, since a chunk stays in use for as long as the queue's stream is
 * blocked, and that must not hold up other queues (rule Q4).
 *
 * <p>Thread-safe. No method blocks, except for {@link #free}.
 */
public class FileStaging {
  /** The size of a chunk. A larger one is not faster, since several are under way at a time. */
  public static final int CHUNK_BYTES = 4 << 20;

  /** How many chunks there are at most. */
  public static final int CHUNKS = 4;

  private static final System.Logger LOG = System.getLogger(FileStaging.class.getName());

  /** Who wants a chunk. Exactly one of the methods is called, once for each request. */
  public interface User {
    /** Called on a file thread. The user must {@link #giveBack} the chunk. */
    void use(ByteBuffer chunk);

    /** Called on any thread: there is no memory for a chunk, or no thread any more. */
    void refuse(Throwable cause);
  }

  private final DeviceCore<?> device;

  // Guarded by this. While a user waits, no chunk is free and `made` is CHUNKS.
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private final Queue<User> waiting = new ArrayDeque<>();
  private int made; // chunks that exist or are being made
  private final List<DeviceMemory> owned = new ArrayList<>(); // the memory of page-locked chunks

  public FileStaging(DeviceCore<?> device) {
    this.device = device;
  }

  /** Has {@code user} called with a chunk as soon as there is one. */
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
   * Refuses all who wait, if the device is lost: what it uses may be kept until it is closed, so no
   * chunk may ever come back. Called behind each failed transfer.
   */
  public void refuseIfLost() {
    HalException cause = device.lostCause();
    if (cause == null) {
      return;
    }
    List<User> refused;
    synchronized (this) {
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    refused.forEach(user -> refuse(user, cause));
  }

  /** Throws nothing, so that other users get their turn whatever becomes of this one. */
  private static void refuse(User user, Throwable cause) {
    try {
      user.refuse(cause);
    } catch (Throwable t) {
      Failures.log(LOG, Level.ERROR, "what was refused a chunk of memory for a file threw", t);
    }
  }

  /** Takes back a chunk that nothing uses any more. */
  public void giveBack(ByteBuffer chunk) {
    User next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        free.push(chunk);
      }
    }
    if (next != null) {
      handOn(next, chunk);
    }
  }

  /**
   * Gives a chunk, or one that is still to be made if it is null, to {@code user}, or to the first
   * of those behind it that can take one.
   */
  private void handOn(User user, @Nullable ByteBuffer chunk) {
    for (User next = user; next != null; ) {
      User taker = next;
      try {
        threads().execute(() -> serve(taker, chunk));
        return;
      } catch (Throwable t) { // the device is closed, or no thread can be started
        refuse(taker, t);
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

  private Executor threads() {
    return device.pools().fileThreads();
  }

  private void serve(User user, @Nullable ByteBuffer chunk) {
    ByteBuffer given = chunk;
    if (given == null) {
      try {
        given = make();
      } catch (Throwable t) {
        refuse(user, t);
        User next = nextOrLeave(null);
        if (next != null) {
          handOn(next, null);
        }
        return;
      }
    }
    user.use(given);
  }

  /** Makes a chunk. Takes a millisecond if it is page-locked. Not private: tests let it fail. */
  ByteBuffer make() {
    try {
      return device.calls().call(() -> makePageLocked(device.backend()));
    } catch (RuntimeException e) {
      // Any other memory serves as well, and more slowly. If the device is closing, it accepts no
      // more such calls, and the file operations that it still waits for go on.
      Failures.log(
          LOG, Level.DEBUG, device.name() + ": no page-locked memory for files: " + e, null);
    }
    try {
      return ByteBuffer.allocateDirect(CHUNK_BYTES);
    } catch (OutOfMemoryError e) { // direct memory has a limit of its own
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "the host has no "
              + CHUNK_BYTES
              + " bytes of direct memory for a file: "
              + e.getMessage(),
          e);
    }
  }

  private ByteBuffer makePageLocked(DeviceBackend<?> backend) {
    if (!backend.supports(BufferParams.HOST)) {
      throw new HalException(Status.UNIMPLEMENTED, "no memory of type HOST");
    }
    DeviceMemory memory = backend.allocate(CHUNK_BYTES, BufferParams.HOST);
    synchronized (this) {
      owned.add(memory);
    }
    return memory.map(0, CHUNK_BYTES).bytes();
  }

  /** Frees all chunks, with the device bound. Nothing uses them any more. */
  public void free() {
    List<DeviceMemory> all;
    synchronized (this) {
      free.clear();
      all = List.copyOf(owned);
      owned.clear();
    }
    for (DeviceMemory memory : all) {
      memory.free();
    }
  }
}
