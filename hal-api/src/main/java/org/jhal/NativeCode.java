// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The result code with which a function of a native library failed, for programs that distinguish
 * the failures of one vendor. The message of the failure names the library. Immutable.
 *
 * @param value the number
 * @param name the library's name for the code, such as {@code CUDA_ERROR_ILLEGAL_ADDRESS}; null if
 *     the code has no name, or none that this JHAL or the library knows
 */
public record NativeCode(long value, @Nullable String name) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Returns the number, followed by the name if there is one. */
  @Override
  public String toString() {
    return name == null ? String.valueOf(value) : value + " " + name;
  }
}
