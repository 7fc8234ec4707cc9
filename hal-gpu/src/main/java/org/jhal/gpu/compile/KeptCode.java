// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import java.util.function.Supplier;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jspecify.annotations.Nullable;

/** Compiled code that is taken from the kernel cache, or made and kept there. Thread-safe. */
public final class KeptCode {
  private KeptCode() {}

  /**
   * Returns the code under a key. The flight recorder gets a compilation.
   *
   * @param cache null if nothing is kept
   * @param key null if the code depends on more than a key can say
   * @param what is being compiled, for people
   * @param compiler makes the code if the cache has none
   */
  public static byte[] get(
      @Nullable KernelCache cache,
      @Nullable KernelKey key,
      String what,
      Supplier<byte[]> compiler) {
    Span span = FlightRecorder.compilation(what);
    String outcome = "failed";
    try {
      byte[] kept = cache == null || key == null ? null : cache.find(key);
      if (kept != null) {
        outcome = "hit";
        return kept;
      }
      byte[] code = compiler.get();
      outcome = "compiled";
      if (cache != null && key != null) {
        cache.keep(key, what, code);
      }
      return code;
    } finally {
      Span.end(span, outcome);
    }
  }
}
