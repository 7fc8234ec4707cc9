// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Reads blocks, with the place and the checksum of what was read. Used by one thread. */
final class BlockInput implements AutoCloseable {
  private final InputStream in;
  private final CRC32C crc = new CRC32C();
  private long at;

  BlockInput(InputStream in) {
    this.in = in;
  }

  /** How many bytes were read. */
  long at() {
    return at;
  }

  /** The first bytes; with zeros at the end if there are fewer. */
  byte[] header(int count) throws IOException {
    byte[] header = in.readNBytes(count);
    at = header.length;
    return Arrays.copyOf(header, count);
  }

  /** The checksum begins here. */
  void beginBlock() {
    crc.reset();
  }

  int octet() throws IOException {
    int next = in.read();
    if (next < 0) {
      throw new EOFException();
    }
    at++;
    crc.update(next);
    return next;
  }

  /** A number; a negative one is none that is ever written. */
  long number() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = octet();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    return -1;
  }

  void skip(long count) throws IOException {
    byte[] chunk = new byte[(int) Math.min(1 << 16, count)];
    for (long left = count; left > 0; ) {
      int got = in.read(chunk, 0, (int) Math.min(chunk.length, left));
      if (got < 0) {
        throw new EOFException();
      }
      crc.update(chunk, 0, got);
      at += got;
      left -= got;
    }
  }

  byte[] bytes(int count) throws IOException {
    byte[] all = in.readNBytes(count);
    if (all.length < count) {
      throw new EOFException();
    }
    crc.update(all, 0, count);
    at += count;
    return all;
  }

  /** Whether the checksum of the block, which is next, is right. */
  boolean sumIsRight() throws IOException {
    long expected = crc.getValue();
    long found = 0;
    for (int i = 0; i < 4; i++) {
      found |= (long) octet() << 8 * i;
    }
    return found == expected;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
