// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import org.jspecify.annotations.Nullable;

/**
 * What {@link ResultCodes} and all devices use of a runtime's functions, whichever binding they
 * have of {@link GpuApi}.
 *
 * <p>Thread-safe.
 */
public interface GpuFunctions {
  /** The functions that operations call; see {@link NativeFunctions#calls}. */
  GpuApi calls(@Nullable NativeBinding binding);

  /** The functions that operations do not call. */
  GpuSetup setup();

  /** The runtime's name of a function, for messages. */
  String functionName(String function);

  /** The name of a result code; null if it has none. */
  @Nullable String errorName(int code);

  /** The runtime's description of a result code; may be empty. */
  String errorText(int code);
}
