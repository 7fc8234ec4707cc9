package org.jhal;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The result code with which a function of a native library failed, for programs that tell the
 * failures of one vendor apart. Which library it was, the message of the failure says.
 *
 * @param value the number
 * @param name what the library calls it, such as {@code CUDA_ERROR_ILLEGAL_ADDRESS}; null if the
 *     code has no name, or none that this JHAL or the library knows
 */
public record NativeCode(long value, @Nullable String name) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The number, and behind it the name if there is one. */
  @Override
  public String toString() {
    return name == null ? String.valueOf(value) : value + " " + name;
  }
}
