// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import com.sun.jna.Library;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.driver.support.Lazy;
import org.jspecify.annotations.Nullable;

/**
 * Functions of a native library. One interface, the table, declares those that operations call;
 * another one declares all others, which JNA binds. Each method stands for the function that {@link
 * #symbol} names.
 *
 * <p>A subclass implements the table in the driver's own binding: as native methods, which JNA
 * binds, or otherwise. A {@link NativeBinding} makes another implementation from the table itself,
 * so that all have the same functions.
 *
 * <p>{@link #bind} must be called first. Thread-safe.
 *
 * @param <T> the table
 * @param <S> the interface of the other functions
 */
public abstract class NativeFunctions<T, S extends Library> {
  private final MethodHandles.Lookup lookup;
  private final Class<T> table;
  private final Class<S> others;
  private volatile @Nullable SharedLibrary library; // null until the functions are bound
  private volatile @Nullable S setup; // likewise
  private final Lazy<T> own = Lazy.keepingFailure();
  private final Map<NativeBinding, Lazy<T>> bound = new ConcurrentHashMap<>();

  /**
   * For subclasses, which implement {@code table}.
   *
   * @param lookup made in the package of the table, by the module of the table
   */
  protected NativeFunctions(MethodHandles.Lookup lookup, Class<T> table, Class<S> others) {
    this.lookup = lookup;
    this.table = table;
    this.others = others;
  }

  /** The library's name of the function for a method. */
  protected abstract String symbol(String method);

  /** The names of all functions in the library, sorted. */
  public List<String> symbols() {
    return Stream.of(table, others)
        .flatMap(mapping -> SharedLibrary.functions(mapping).stream())
        .map(this::symbol)
        .sorted()
        .toList();
  }

  /** Binds the functions to a library that has them all. */
  public final void bind(SharedLibrary from) {
    library = from;
    setup = from.map(others, this::symbol);
  }

  /** The functions that operations do not call. */
  public S setup() {
    return Objects.requireNonNull(setup, "bind has not been called");
  }

  /**
   * The functions that operations call. They are bound once for each binding.
   *
   * @param binding null for the driver's own
   * @throws HalException UNAVAILABLE if the binding cannot be loaded or used
   */
  public final T calls(@Nullable NativeBinding binding) {
    SharedLibrary from = Objects.requireNonNull(library, "bind has not been called");
    if (binding == null) {
      return own.get(
          () -> {
            bindOwn(from);
            return table.cast(this);
          });
    }
    return bound
        .computeIfAbsent(binding, key -> new Lazy<>())
        .get(() -> binding.bind(lookup, table, method -> from.address(symbol(method))));
  }

  /**
   * Makes the methods of this object callable. By default they are native methods, which JNA binds.
   *
   * @throws HalException UNAVAILABLE if that is impossible
   */
  protected void bindOwn(SharedLibrary from) {
    from.bind(getClass(), this::symbol);
  }
}
