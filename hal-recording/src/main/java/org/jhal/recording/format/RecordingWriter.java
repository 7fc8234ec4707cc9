// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks. What {@link #flush} has written stays in the file if the process crashes.
 *
 * <p>Not thread-safe.
 */
public final class RecordingWriter {
  private static final int BUFFER = 1 << 18;

  private final RandomAccessFile out; // no channel, which an interrupt of the program would close
  private final byte[] pending = new byte[BUFFER];
  private final CRC32C crc = new CRC32C();
  private final ByteWriter head = new ByteWriter();
  private final Map<Digest, Integer> payloads = new HashMap<>(); // their numbers
  private int pendingBytes;

  /**
   * Begins a recording; a file of this name is replaced.
   *
   * @throws HalException PERMISSION_DENIED or DATA_LOSS if it cannot be written; UNAVAILABLE if
   *     another process is writing it
   */
  public RecordingWriter(Path file) {
    RandomAccessFile opened = null;
    try {
      opened = new RandomAccessFile(file.toFile(), "rw");
      if (!isLocked(opened)) {
        throw new HalException(
            Status.UNAVAILABLE,
            "the recording " + file + " is being written by another process; give it another name");
      }
      opened.setLength(0);
      out = opened;
      put(Block.MAGIC, Block.MAGIC.length);
      put(new byte[] {Block.VERSION}, 1);
      flush();
      opened = null;
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "the recording " + file + " cannot be written", e);
    } finally {
      closeQuietly(opened);
    }
  }

  private static boolean isLocked(RandomAccessFile opened) throws IOException {
    try {
      FileLock lock = opened.getChannel().tryLock(); // until the file is closed
      return lock != null;
    } catch (OverlappingFileLockException e) { // by another class loader of this process
      return false;
    }
  }

  private static void closeQuietly(@Nullable RandomAccessFile opened) {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (IOException e) {
      return; // nothing was written
    }
  }

  /** The number of a payload, which is written unless the file has its bytes. */
  public int payload(Payload payload) throws IOException {
    Integer known = payloads.get(payload.digest());
    if (known != null) {
      return known;
    }
    int number = payloads.size();
    begin(Block.PAYLOAD, payload.size() + 16);
    ByteWriter digest = new ByteWriter().word(payload.digest().high()).word(payload.digest().low());
    put(digest.backing(), digest.size());
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(1 << 16, payload.size()));
    for (long at = 0; at < payload.size(); at += chunk.limit()) {
      chunk.clear().limit((int) Math.min(chunk.capacity(), payload.size() - at));
      payload.source().read(at, chunk);
      put(chunk.array(), chunk.limit());
    }
    end();
    payloads.put(payload.digest(), number);
    return number;
  }

  /** Writes a block. */
  public void block(Block kind, ByteWriter body) throws IOException {
    begin(kind, body.size());
    put(body.backing(), body.size());
    end();
  }

  private void begin(Block kind, long length) throws IOException {
    crc.reset();
    head.clear().octet(kind.ordinal()).number(length);
    put(head.backing(), head.size());
  }

  private void put(byte[] bytes, int length) throws IOException {
    crc.update(bytes, 0, length);
    putPlain(bytes, length);
  }

  private void putPlain(byte[] bytes, int length) throws IOException {
    int at = 0;
    while (at < length) {
      if (pendingBytes == BUFFER) {
        flush();
      }
      int part = Math.min(length - at, BUFFER - pendingBytes);
      System.arraycopy(bytes, at, pending, pendingBytes, part);
      pendingBytes += part;
      at += part;
    }
  }

  private void end() throws IOException {
    long sum = crc.getValue();
    head.clear();
    for (int i = 0; i < 4; i++) {
      head.octet((int) (sum >>> 8 * i));
    }
    putPlain(head.backing(), head.size());
  }

  /** Hands everything to the operating system. */
  public void flush() throws IOException {
    out.write(pending, 0, pendingBytes);
    pendingBytes = 0;
  }
}
