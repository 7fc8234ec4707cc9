// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32;
import org.jhal.fuzz.Fuzz;
import org.jhal.kernels.cache.CacheEntry.DamagedEntryException;
import org.junit.jupiter.api.Test;

/** Entries of the cache of compiled kernels. */
class CacheFuzzTest {
  private static final int CHECKSUM_AT = 12;

  @Test
  void entries() throws Exception {
    new Fuzz(
            "cache",
            List.of(
                new CacheEntry(KernelKey.of(List.of("a", "b")), "saxpy", new byte[300]).encode(),
                new CacheEntry(KernelKey.of(List.of()), "", new byte[0]).encode()),
            List.of("JHALKRNL"))
        .documented(DamagedEntryException.class)
        .mending(CacheFuzzTest::mended)
        .allocating(1 << 20)
        .run(50_000, CacheEntry::decode);
  }

  private static byte[] mended(byte[] file) {
    byte[] whole = file.clone();
    if (whole.length >= CHECKSUM_AT + 4) {
      CRC32 checksum = new CRC32();
      checksum.update(whole, CHECKSUM_AT + 4, whole.length - CHECKSUM_AT - 4);
      ByteBuffer.wrap(whole).putInt(CHECKSUM_AT, (int) checksum.getValue());
    }
    return whole;
  }
}
