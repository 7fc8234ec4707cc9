// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The first 128 bits of the SHA-256 of some bytes.
 *
 * @param high the first 64 bits, the first byte highest
 * @param low the next 64 bits
 */
public record Digest(long high, long low) {
  private static final int CHUNK = 1 << 16;

  /** Bytes that can be read at any place. */
  public interface Source {
    /** Fills {@code target} with the bytes from {@code offset} on. */
    void read(long offset, ByteBuffer target);
  }

  static Digest of(long size, Source source) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, size));
      for (long at = 0; at < size; at += chunk.limit()) {
        chunk.clear().limit((int) Math.min(chunk.capacity(), size - at));
        source.read(at, chunk);
        sha.update(chunk.array(), 0, chunk.limit());
      }
      ByteBuffer all = ByteBuffer.wrap(sha.digest());
      return new Digest(all.getLong(), all.getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
