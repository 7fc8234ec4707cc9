package org.jhal.driver.support;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * A value that the first caller makes; callers that come meanwhile wait for it, with no lock held
 * (rule K4). A failure reaches all of them.
 *
 * <p>Thread-safe.
 *
 * @param <V> the value's type
 */
public final class Once<V> {
  /** The value, or a failure that is kept, finished or in the making; null if there is none. */
  private final AtomicReference<@Nullable Making<V>> made = new AtomicReference<>();

  private final boolean keepsFailure;

  /** How often a caller that waits looks whether the maker has ended without a word. */
  private static final long LOOK_SECONDS = 1;

  private static final class Making<V> extends CompletableFuture<V> {
    /**
     * The maker has ended. If this is not done then, an error has ended it, and there was no stack
     * left to say so. Written by a plain assignment for the same reason.
     */
    private volatile boolean hasEnded;
  }

  /** An object without a value. A failure is not kept: the next caller tries again. */
  public Once() {
    this(false);
  }

  private Once(boolean keepsFailure) {
    this.keepsFailure = keepsFailure;
  }

  /**
   * An object without a value. A {@link HalException} is kept like a value: a native library that
   * was not found once is not looked for again. Other throwables are not kept.
   *
   * @param <V> the value's type
   */
  public static <V> Once<V> keepingFailure() {
    return new Once<>(true);
  }

  /**
   * The value.
   *
   * @param maker makes the value; must not call this method of the same object
   * @throws HalException what {@code maker} throws; INTERNAL if another thread's maker threw
   *     something else
   */
  public V get(Supplier<V> maker) {
    while (true) {
      Making<V> theirs = made.get();
      if (theirs == null) {
        Making<V> mine = new Making<>();
        try {
          if (made.compareAndSet(null, mine)) {
            return make(mine, maker);
          }
        } finally {
          mine.hasEnded = true;
        }
      } else if (theirs.hasEnded && !theirs.isDone()) {
        boolean ignored = made.compareAndSet(theirs, null);
      } else {
        try {
          var unused = Uninterruptibles.getUninterruptibly(theirs, LOOK_SECONDS, TimeUnit.SECONDS);
          return theirs.join();
        } catch (TimeoutException e) {
          continue; // look whether it has ended
        } catch (ExecutionException e) {
          Throwable thrown = Objects.requireNonNull(e.getCause());
          throw thrown instanceof HalException failure
              ? failure.again()
              : new HalException(Status.INTERNAL, "unexpected " + thrown, thrown);
        }
      }
    }
  }

  /** The value if it is made, else null. */
  public @Nullable V ifMade() {
    CompletableFuture<V> theirs = made.get();
    return theirs == null || !theirs.isDone() || theirs.isCompletedExceptionally()
        ? null
        : theirs.join();
  }

  private V make(Making<V> mine, Supplier<V> maker) {
    try {
      V value = maker.get();
      mine.complete(value);
      return value;
    } catch (Throwable t) {
      if (!(keepsFailure && t instanceof HalException)) {
        made.set(null); // before the waiters are released, so that they can try again
      }
      mine.completeExceptionally(t);
      throw t;
    }
  }
}
