package org.jhal.utils;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is made by the first who asks for it; who asks meanwhile waits for that, with no
 * lock held (rule K4). A failure reaches all of them and is not kept: the next one tries again.
 *
 * <p>Thread-safe.
 *
 * @param <V> the value's type
 */
public final class Once<V> {
  /** Null unless the value is there or being made. */
  private final AtomicReference<@Nullable CompletableFuture<V>> made = new AtomicReference<>();

  /** Nothing made yet. */
  public Once() {}

  /**
   * The value.
   *
   * @param maker makes it; must not ask for it
   * @throws org.jhal.HalException what {@code maker} throws; INTERNAL for what another thread's
   *     threw that was none
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
      throw Failures.of(Objects.requireNonNull(e.getCause())).again();
    }
  }

  private V make(CompletableFuture<V> mine, Supplier<V> maker) {
    try {
      V value = maker.get();
      mine.complete(value);
      return value;
    } catch (Throwable t) {
      made.set(null); // before others hear of it, so that they may try again
      mine.completeExceptionally(t);
      throw t;
    }
  }
}
