package org.jhal.gpu.natives;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Functions of a native library. A subclass declares those that operations call as native methods,
 * which are the cheapest; an interface declares all others. Each method stands for the function
 * that {@link #symbol} names.
 *
 * <p>{@link #bind} must be called first. Thread-safe.
 *
 * @param <S> the interface
 */
public abstract class NativeFunctions<S extends Library> {
  private final Class<S> others;
  private volatile @Nullable S setup; // null until the functions are bound

  /** For subclasses: with the interface for the other functions. */
  protected NativeFunctions(Class<S> others) {
    this.others = others;
  }

  /** The library's name of the function for a method. */
  protected abstract String symbol(String method);

  /** The names of all functions in the library, sorted. */
  public List<String> symbols() {
    return Stream.of(getClass(), others)
        .flatMap(mapping -> SharedLibrary.functions(mapping).stream())
        .map(this::symbol)
        .sorted()
        .toList();
  }

  /**
   * Binds the functions to a library that has them all.
   *
   * @throws UnsatisfiedLinkError if it lacks one that is a native method; see {@link Native}
   */
  public final void bind(SharedLibrary library) {
    library.bind(getClass(), this::symbol);
    setup = library.map(others, this::symbol);
  }

  /** The functions of the interface. */
  public S setup() {
    return Objects.requireNonNull(setup, "bind has not been called");
  }
}
