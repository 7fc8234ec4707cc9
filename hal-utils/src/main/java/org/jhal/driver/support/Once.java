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
 * A value that is made by the first who asks for it; who asks meanwhile waits for that, with no
 * lock held (rule K4). A failure reaches all of them.
 *
 * <p>Thread-safe.
 *
 * @param <V> the value's type
 */
public final class Once<V> {
  /** Null unless the value, or a failure that is kept, is there or being made. */
  private final AtomicReference<@Nullable CompletableFuture<V>> made = new AtomicReference<>();

  private final boolean keepsFailure;

  /** Nothing made yet. A failure is not kept: who asks next tries again. */
  public Once() {
    this(false);
  }

  private Once(boolean keepsFailure) {
    this.keepsFailure = keepsFailure;
  }

  /**
   * Nothing made yet. A {@link HalException} is kept as a value is: a native library that was
   * looked for in vain is not found by looking again. Whatever else is thrown is not kept.
   *
   * @param <V> the value's type
   */
  public static <V> Once<V> keepingFailure() {
    return new Once<>(true);
  }

  /**
   * The value.
   *
   * @param maker makes it; must not ask for it
   * @throws HalException what {@code maker} throws; INTERNAL for what another thread's threw that
   *     was none
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

  private V make(CompletableFuture<V> mine, Supplier<V> maker) {
    try {
      V value = maker.get();
      mine.complete(value);
      return value;
    } catch (Throwable t) {
      if (!(keepsFailure && t instanceof HalException)) {
        made.set(null); // before others hear of it, so that they may try again
      }
      mine.completeExceptionally(t);
      throw t;
    }
  }
}
