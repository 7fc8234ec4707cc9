package org.jhal.driver.transfer;

import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.HostMemory;
import org.jhal.driver.HostThreads;
import org.jhal.driver.support.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * One copy of staging memory to memory of the program, in pieces that two threads take: the one
 * that needs the copy, and one of the device's, if it comes in time. A single core copies slower
 * than the device writes.
 *
 * <p>Thread-safe.
 */
final class SharedCopy implements Runnable {
  /** To wake a thread takes about as long as to copy a quarter of this. */
  static final int MIN_BYTES = 512 << 10;

  private static final int PIECE = 64 << 10;

  /** Longer than a piece takes, unless the system has interrupted its thread. */
  private static final int SPINS = 1000;

  private final ByteBuffer source;
  private final HostMemory target;
  private final int size;
  private final AtomicInteger next =
      new AtomicInteger(); // behind the bytes that threads have taken
  private final AtomicInteger left; // bytes that are not copied yet
  private volatile @Nullable Throwable failure; // of any piece

  /** Of the remaining bytes of {@code source} to all of {@code target}, which is as large. */
  SharedCopy(ByteBuffer source, HostMemory target) {
    this.source = source;
    this.target = target;
    this.size = source.remaining();
    this.left = new AtomicInteger(size);
  }

  /**
   * Copies all of it. Waits for the other thread only while that copies its last piece.
   *
   * @throws Exception what a piece has failed with
   */
  void copy(HostThreads threads) throws Exception {
    try {
      threads.execute(this);
    } catch (RejectedExecutionException e) {
      run(); // alone: the device is closed, or no thread can be started
    }
    run();
    for (int i = 0; left.get() > 0; i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // the system has interrupted the other thread
      }
    }
    Throwable thrown = failure;
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof Exception exception) {
      throw exception;
    }
  }

  /** Copies the pieces that no other thread has taken. */
  @Override
  public void run() {
    for (int at = next.getAndAdd(PIECE); at < size; at = next.getAndAdd(PIECE)) {
      int bytes = Math.min(PIECE, size - at);
      Throwable thrown = Attempt.of(new Piece(this, at, bytes));
      if (thrown != null) {
        failure = thrown;
      }
      left.addAndGet(-bytes); // also after a failure: the other thread must not wait for ever
    }
  }

  /** Without a lambda: one that is linked while the stack runs out never works again. */
  private record Piece(SharedCopy of, int from, int bytes) implements Runnable {
    @Override
    public void run() {
      int begin = of.source.position() + from;
      of.target.write(from, of.source.duplicate().limit(begin + bytes).position(begin));
    }
  }
}
