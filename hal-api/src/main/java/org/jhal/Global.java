// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Objects;

/**
 * A variable of a bundle's code, {@code __device__} or {@code __constant__}, that the bundle's
 * manifest declares for the host; see {@link Executable#global}. Immutable.
 *
 * @param name the name in the code
 * @param type of an element
 * @param count how many elements it has: 1 for a variable that is no array
 */
public record Global(String name, ElementType type, int count) {
  /**
   * Checks the count.
   *
   * @throws HalException OUT_OF_RANGE if {@code count} is less than 1
   */
  public Global {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
    if (count < 1) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "global '" + name + "' has " + count + " elements; it must have at least 1");
    }
  }

  /** Returns the size in bytes. */
  public long bytes() {
    return type.bytes(count);
  }

  @Override
  public String toString() {
    return type.label() + " " + name + (count == 1 ? "" : "[" + count + "]");
  }
}
