// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jhal.kernels.cache.CacheEntry.DamagedEntryException;
import org.junit.jupiter.api.Test;

/** The format of entries, and keys. */
class CacheEntryTest {
  private static final KernelKey KEY = KernelKey.of(List.of("a compiler", "a source"));

  private final byte[] file = new CacheEntry(KEY, "a label", new byte[] {1, 2, 3}).encode();

  private static String damage(byte[] file) {
    DamagedEntryException thrown =
        assertThrows(DamagedEntryException.class, () -> CacheEntry.decode(file));
    return String.valueOf(thrown.getMessage());
  }

  @Test
  void anEntryIsReadAsItWasWritten() throws DamagedEntryException {
    CacheEntry entry = CacheEntry.decode(file);
    assertEquals(KEY, entry.key());
    assertEquals("a label", entry.label());
    assertArrayEquals(new byte[] {1, 2, 3}, entry.code());
  }

  @Test
  void aDamagedBitIsDetected() {
    for (int bit = 0; bit < 8 * file.length; bit++) {
      byte[] damaged = file.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(DamagedEntryException.class, () -> CacheEntry.decode(damaged), "bit " + bit);
    }
  }

  @Test
  void aWrongFileLengthIsDetected() {
    for (int length = 0; length <= file.length + 8; length++) {
      byte[] other = Arrays.copyOf(file, length);
      if (length != file.length) {
        assertThrows(DamagedEntryException.class, () -> CacheEntry.decode(other), "of " + length);
      }
    }
  }

  @Test
  void anotherVersionOfTheFormatIsReported() {
    byte[] newer = file.clone();
    newer[11] = 3;
    assertEquals("its format is version 3, not 2", damage(newer));
    assertEquals("it does not begin like an entry", damage(new byte[100]));
  }

  @Test
  void aWrongLengthWithARightChecksumIsDetected() throws Exception {
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, file.length}) {
      byte[] wrong = file.clone();
      java.nio.ByteBuffer.wrap(wrong).putInt(16, length); // that of the key
      CRC32 checksum = new CRC32();
      checksum.update(wrong, 16, wrong.length - 16);
      java.nio.ByteBuffer.wrap(wrong).putInt(12, (int) checksum.getValue());
      assertEquals("a length in it is wrong", damage(wrong));
    }
  }

  @Test
  void keysOfDifferentTextsDiffer() {
    List<List<String>> all =
        List.of(
            List.of(),
            List.of(""),
            List.of("", ""),
            List.of("ab"),
            List.of("a", "b"),
            List.of("b", "a"),
            List.of("", "ab"),
            List.of("ab", ""),
            List.of("\0\0\0\1a"),
            List.of("a\0\0\0\1b"));
    for (List<String> one : all) {
      for (List<String> other : all) {
        if (one == other) {
          assertEquals(KernelKey.of(one), KernelKey.of(List.copyOf(other)));
        } else {
          assertNotEquals(KernelKey.of(one), KernelKey.of(other));
          assertNotEquals(KernelKey.of(one).hash(), KernelKey.of(other).hash());
        }
      }
    }
    assertTrue(KEY.hash().matches("[0-9a-f]{64}"), KEY::hash);
  }
}
