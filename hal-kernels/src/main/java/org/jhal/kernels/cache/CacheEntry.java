// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Compiled code with its key, and the format of its file:
 *
 * <pre>
 *   8 bytes    "JHALKRNL"
 *   4 bytes    the version of this format, 2
 *   4 bytes    the CRC-32 of all that follows
 *   the encoded key, the label and the code, each with its length before it, in 4 bytes
 * </pre>
 *
 * Numbers are big-endian. The checksum detects damage, not manipulation; {@link PrivateFolder}
 * keeps other writers out.
 *
 * <p>Any thread may use it.
 *
 * @param label what the code is, for people; not a part of the key
 * @param code shared, and never changed
 */
record CacheEntry(KernelKey key, String label, byte[] code) {
  /** The file of an entry may be damaged; the message says why. */
  static final class DamagedEntryException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedEntryException(String reason) {
      super(reason);
    }
  }

  private static final byte[] MAGIC = "JHALKRNL".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 2;
  private static final int CHECKSUM_AT = MAGIC.length + Integer.BYTES;
  private static final int PAYLOAD_AT = CHECKSUM_AT + Integer.BYTES;

  byte[] encode() {
    byte[] keyBytes = key.encoded();
    byte[] labelBytes = label.getBytes(StandardCharsets.UTF_8);
    long size = PAYLOAD_AT + 3L * Integer.BYTES + keyBytes.length + labelBytes.length + code.length;
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(size));
    out.put(MAGIC).putInt(VERSION).position(PAYLOAD_AT);
    for (byte[] part : new byte[][] {keyBytes, labelBytes, code}) {
      out.putInt(part.length).put(part);
    }
    return out.putInt(CHECKSUM_AT, checksum(out.array())).array();
  }

  /**
   * Reads an entry.
   *
   * @throws DamagedEntryException if the bytes are not exactly what {@link #encode} gives
   */
  static CacheEntry decode(byte[] file) throws DamagedEntryException {
    if (file.length < PAYLOAD_AT || !Arrays.equals(MAGIC, Arrays.copyOf(file, MAGIC.length))) {
      throw new DamagedEntryException("it does not begin like an entry");
    }
    ByteBuffer in = ByteBuffer.wrap(file).position(MAGIC.length);
    int version = in.getInt();
    if (version != VERSION) {
      throw new DamagedEntryException("its format is version " + version + ", not " + VERSION);
    }
    if (in.getInt() != checksum(file)) {
      throw new DamagedEntryException("its checksum is wrong");
    }
    CacheEntry entry =
        new CacheEntry(
            new KernelKey(bytes(in)), new String(bytes(in), StandardCharsets.UTF_8), bytes(in));
    if (in.hasRemaining()) {
      throw new DamagedEntryException("it has " + in.remaining() + " bytes too many");
    }
    return entry;
  }

  private static int checksum(byte[] file) {
    CRC32 checksum = new CRC32();
    checksum.update(file, PAYLOAD_AT, file.length - PAYLOAD_AT);
    return (int) checksum.getValue();
  }

  private static byte[] bytes(ByteBuffer in) throws DamagedEntryException {
    int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new DamagedEntryException("a length in it is wrong");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
