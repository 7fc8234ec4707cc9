// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code is made once for each key, and each time where there is none. */
class KeptCodeTest {
  private static final KernelKey KEY = KernelKey.of(List.of("a"));

  private final AtomicInteger made = new AtomicInteger();
  @TempDir private Path folder;

  private byte[] get(@Nullable KernelCache cache, @Nullable KernelKey key) {
    return KeptCode.get(cache, key, "code", () -> new byte[] {(byte) made.incrementAndGet()});
  }

  @Test
  void makesTheCodeOfAKeyOnce() {
    KernelCache cache = KernelCache.in(folder.resolve("cache"));
    assertArrayEquals(new byte[] {1}, get(cache, KEY));
    assertArrayEquals(new byte[] {1}, get(cache, KEY));
    assertArrayEquals(new byte[] {2}, get(cache, KernelKey.of(List.of("b"))));
  }

  @Test
  void makesItEachTimeWithoutAKeyOrACache() {
    KernelCache cache = KernelCache.in(folder.resolve("cache"));
    assertArrayEquals(new byte[] {1}, get(cache, null));
    assertArrayEquals(new byte[] {2}, get(cache, null));
    assertArrayEquals(new byte[] {3}, get(null, KEY));
    assertArrayEquals(new byte[] {4}, get(null, KEY));
  }

  @Test
  void keepsNothingIfTheCompilerFails() {
    KernelCache cache = KernelCache.in(folder.resolve("cache"));
    IllegalStateException failure =
        assertThrows(
            IllegalStateException.class,
            () ->
                KeptCode.get(
                    cache,
                    KEY,
                    "code",
                    () -> {
                      throw new IllegalStateException("wrong");
                    }));
    assertEquals("wrong", failure.getMessage());
    assertArrayEquals(new byte[] {1}, get(cache, KEY));
  }
}
