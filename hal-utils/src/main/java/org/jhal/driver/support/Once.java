package org.jhal.driver.support;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
  private final AtomicReference<@Nullable CompletableFuture<V>> made = new AtomicReference<>();

  private final boolean keepsFailure;

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
    CompletableFuture<V> theirs = made.get();
    if (theirs == null) {
      CompletableFuture<V> mine = new CompletableFuture<>();
      theirs = made.compareAndExchange(null, mine);
      if (theirs == null) {
        return make(mine, maker);
      }
    }
    try {
      return theirs.join();
    } catch (CompletionException e) {
      Throwable thrown = Objects.requireNonNull(e.getCause());
      throw thrown instanceof HalException failure
          ? failure.again()
          : new HalException(Status.INTERNAL, "unexpected " + thrown, thrown);
    }
  }

  /** The value if it is made, else null. */
  public @Nullable V ifMade() {
    CompletableFuture<V> theirs = made.get();
    return theirs == null || !theirs.isDone() || theirs.isCompletedExceptionally()
        ? null
        : theirs.join();
  }

  private V make(CompletableFuture<V> mine, Supplier<V> maker) {
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
