// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache as any driver uses it. */
class CacheOptionTest {
  @TempDir Path folder;

  private int compilations;

  private static Settings settings(Object cache) {
    DeviceUri uri = DeviceUri.parse("plain://0?cache=" + cache);
    return Settings.resolve("plain", List.of(CacheOption.FOLDER), uri);
  }

  /** What a driver does that has a compiler. */
  private byte[] load(KernelCache cache, String source, String options) {
    KernelKey key = KernelKey.of(List.of("plain compiler 1.0", source, options));
    byte[] kept = cache.find(key);
    if (kept != null) {
      return kept;
    }
    compilations++;
    byte[] code = (options + source).getBytes(UTF_8);
    cache.keep(key, "a kernel", code);
    return code;
  }

  @Test
  void findsCompiledCodeByTheSameKeyOnly() {
    Path made = folder.resolve("kernels");
    KernelCache first = Objects.requireNonNull(CacheOption.cache(settings(made)));
    byte[] code = load(first, "source", "-O2");
    KernelCache second = Objects.requireNonNull(CacheOption.cache(settings(made)));
    assertArrayEquals(code, load(second, "source", "-O2"));
    assertEquals(1, compilations);
    assertArrayEquals("-O3source".getBytes(UTF_8), load(second, "source", "-O3"));
    assertEquals(2, compilations);
  }

  @Test
  void thereMayBeNone() {
    assertNull(CacheOption.cache(settings("off")));
  }

  @Test
  void aFileIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    HalException refusal =
        assertThrows(HalException.class, () -> CacheOption.cache(settings(file)));
    assertEquals(Status.INVALID_ARGUMENT, refusal.status());
    assertEquals(
        "option 'cache' is '" + file + "' (from uri), which is no folder", refusal.getMessage());
  }
}
