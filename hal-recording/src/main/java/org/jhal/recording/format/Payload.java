// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.nio.ByteBuffer;

/**
 * Bytes to be recorded, with their digest. Small ones are a copy; larger ones are read again when
 * they are written, so their memory must not change until then.
 *
 * @param source where the bytes are
 */
public record Payload(long size, Digest digest, Digest.Source source) {
  private static final int SMALL = 1 << 20;

  /** The bytes of a source, which does not change before they are written. */
  public static Payload of(long size, Digest.Source source) {
    if (size > SMALL) {
      return new Payload(size, Digest.of(size, source), source);
    }
    byte[] copy = new byte[(int) size];
    if (size > 0) {
      source.read(0, ByteBuffer.wrap(copy));
    }
    return of(copy);
  }

  /** The bytes of an array, which does not change. */
  public static Payload of(byte[] bytes) {
    Digest.Source source = (offset, target) -> target.put(bytes, (int) offset, target.remaining());
    return new Payload(bytes.length, Digest.of(bytes.length, source), source);
  }
}
