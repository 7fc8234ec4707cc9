package org.jhal.utils.gpu;

import java.util.function.Supplier;
import org.jhal.HalException;
import org.jhal.utils.Once;
import org.jspecify.annotations.Nullable;

/**
 * What comes of loading something once in a process: it, or the failure, which is kept as well,
 * since a native library that was looked for in vain is not found by looking again. Who asks
 * meanwhile waits, with no lock held.
 *
 * <p>Thread-safe.
 *
 * @param <V> what is loaded
 */
public final class Verdict<V> {
  private record Outcome<V>(@Nullable V value, @Nullable HalException failure) {}

  private final Once<Outcome<V>> outcome = new Once<>();

  /** Nothing loaded yet. */
  public Verdict() {}

  /**
   * The value.
   *
   * @param loader called by the first who asks
   * @throws HalException what {@code loader} threw, always the same
   */
  public V get(Supplier<V> loader) {
    Outcome<V> known = outcome.get(() -> load(loader));
    HalException failure = known.failure();
    if (failure != null) {
      throw failure.again();
    }
    return java.util.Objects.requireNonNull(known.value());
  }

  private static <V> Outcome<V> load(Supplier<V> loader) {
    try {
      return new Outcome<>(loader.get(), null);
    } catch (HalException e) {
      return new Outcome<>(null, e);
    }
  }
}
