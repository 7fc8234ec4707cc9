// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernel;

/**
 * A struct that was passed to a kernel by value. Its numbers are those of all fields in their
 * order, the elements of vectors and arrays one by one; indices count them, from 0:
 *
 * <pre>{@code
 * float zoom = camera.f32(camera.index("zoom"));
 * }</pre>
 *
 * <p>Valid until the kernel returns.
 */
public interface KernelStruct {
  /** Returns how many numbers there are, at least 1. */
  int size();

  /**
   * Returns the index of the first number of a field.
   *
   * @throws org.jhal.HalException INVALID_ARGUMENT if there is no such field
   */
  int index(String field);

  /**
   * Returns a number that is an integer of at most 32 bits. An unsigned one of 32 bits from 2^31 on
   * is returned as a negative number.
   *
   * @throws IndexOutOfBoundsException if there is no such number
   * @throws IllegalArgumentException if it has another type
   */
  int i32(int index);

  /**
   * Returns a number that is an integer. An unsigned one of 64 bits from 2^63 on is returned as a
   * negative number.
   *
   * @throws IndexOutOfBoundsException if there is no such number
   * @throws IllegalArgumentException if it has another type
   */
  long i64(int index);

  /**
   * Returns a number of the type {@code f32}, {@code f16} or {@code bf16}.
   *
   * @throws IndexOutOfBoundsException if there is no such number
   * @throws IllegalArgumentException if it has another type
   */
  float f32(int index);

  /**
   * Returns a number of any floating-point type.
   *
   * @throws IndexOutOfBoundsException if there is no such number
   * @throws IllegalArgumentException if it has another type
   */
  double f64(int index);
}
