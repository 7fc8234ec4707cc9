// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.lang.invoke.MethodHandles;
import java.util.function.ToLongFunction;
import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/**
 * A way to call native functions from Java. It is a service: a jar that is made for newer versions
 * of Java than this module provides it. Drivers also have a binding of their own.
 *
 * <p>Thread-safe.
 */
public interface NativeBinding {
  /** Why a program should not use it unless it asks for it; null if it may. */
  @Nullable String obstacle();

  /**
   * Makes an object whose methods are native functions.
   *
   * <p>An {@code int} or a {@code long} is passed as it is, a {@code byte} or a {@code short} as an
   * unsigned number, a pointer as a {@code long}. An array of {@code int}, {@code long} or {@code
   * float} stands for a pointer through which the function returns one value; only its first
   * element is passed and returned. The result is an {@code int} or a {@code long}.
   *
   * @param lookup made in the package of the table, by the module of the table
   * @param table an interface all of whose methods are functions
   * @param addresses the addresses of the functions, by the names of the methods
   * @throws HalException UNAVAILABLE if Java does not allow it, or cannot do it on this platform
   * @throws IllegalArgumentException if a method has a type that it cannot pass
   */
  <T> T bind(MethodHandles.Lookup lookup, Class<T> table, ToLongFunction<String> addresses);
}
