// SPDX-License-Identifier: Apache-2.0
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
 * A value that the first caller makes. Concurrent callers wait for it with no lock held (rule K4);
 * a failure reaches all of them.
 *
 * <p>Thread-safe.
 *
 * @param <V> the value's type
 */
public final class Lazy<V> {
  /** The value or kept failure, finished or in the making; null if there is none. */
  private final AtomicReference<@Nullable Making<V>> made = new AtomicReference<>();

  private final boolean keepsFailure;

  /** How often a waiting caller checks whether the maker has ended silently. */
  private static final long LOOK_SECONDS = 1;

  private static final class Making<V> extends CompletableFuture<V> {
    /**
     * The maker has ended. If this is not done then, the maker ran out of stack before it could
     * report. A plain assignment, which needs no stack.
     */
    private volatile boolean hasEnded;
  }

  /** Without a value. A failure is not kept: the next caller tries again. */
  public Lazy() {
    this(false);
  }

  private Lazy(boolean keepsFailure) {
    this.keepsFailure = keepsFailure;
  }

  /**
   * Without a value. A {@link HalException} is kept as a value is: a missing native library is
   * searched for once. RESOURCE_EXHAUSTED is not kept, since a lack of memory or file handles
   * passes, and neither are other throwables.
   *
   * @param <V> the value's type
   */
  public static <V> Lazy<V> keepingFailure() {
    return new Lazy<>(true);
  }

  /**
   * The value.
   *
   * @param maker makes the value; must not call this method of this object
   * @throws HalException what {@code maker} throws; INTERNAL for other throwables of another thread
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
        made.compareAndSet(theirs, null);
      } else {
        try {
          var unused = Uninterruptibles.getUninterruptibly(theirs, LOOK_SECONDS, TimeUnit.SECONDS);
          return theirs.join();
        } catch (TimeoutException e) {
          continue; // check whether it has ended
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

  private static boolean isLasting(Throwable thrown) {
    return thrown instanceof HalException failure && failure.status() != Status.RESOURCE_EXHAUSTED;
  }

  private V make(Making<V> mine, Supplier<V> maker) {
    try {
      V value = maker.get();
      mine.complete(value);
      return value;
    } catch (Throwable t) {
      if (!(keepsFailure && isLasting(t))) {
        made.set(null); // before the waiters are released: they try again
      }
      mine.completeExceptionally(t);
      throw t;
    }
  }
}
