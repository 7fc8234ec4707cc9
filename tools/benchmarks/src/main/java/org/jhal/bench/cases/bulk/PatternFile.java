// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jhal.bench.measure.NotAvailableException;
import org.jspecify.annotations.Nullable;

/**
 * A temporary file, which the sides of a row share. Each of its words depends on its position, and
 * two patterns differ in every word.
 *
 * <p>For one thread.
 */
final class PatternFile implements AutoCloseable {
  /** How many bytes are moved at once where nothing is measured, or without a device. */
  static final int PIECE = 4 << 20;

  /** The pattern that the file has at first. */
  static final int FIRST = 1;

  private static final int SPREADING = 0x9E3779B1; // odd, so no two words of a pattern are equal

  private final int bytes;
  private @Nullable Path path; // while the file is there
  private int last = FIRST;

  /**
   * Makes nothing yet.
   *
   * @param bytes a multiple of 4
   */
  PatternFile(int bytes) {
    this.bytes = bytes;
  }

  /** How long it is. */
  int bytes() {
    return bytes;
  }

  /**
   * Where it is. If it is not there yet it is written, with the pattern {@link #FIRST}, and forced
   * to the storage device, which would be busy with it later.
   *
   * @throws NotAvailableException if it cannot be written
   */
  Path path() throws NotAvailableException {
    if (path == null) {
      try {
        path = make();
      } catch (IOException e) {
        throw new NotAvailableException(
            "no temporary file of "
                + bytes
                + " bytes can be written: "
                + e
                + " (the property java.io.tmpdir of java names the folder, here "
                + System.getProperty("java.io.tmpdir")
                + ")");
      }
    }
    return path;
  }

  private Path make() throws IOException {
    Path made = Files.createTempFile("hal-bench", null);
    made.toFile().deleteOnExit(); // a run may be interrupted
    try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
      ByteBuffer piece = newPiece();
      for (int at = 0; at < bytes; at += PIECE) {
        put(limited(piece, at), at, FIRST);
        write(channel, piece, at);
      }
      channel.force(true);
    } catch (Throwable t) {
      Files.deleteIfExists(made);
      throw t;
    }
    return made;
  }

  /** A pattern that was not used before, nor {@link #FIRST}. */
  int nextPattern() {
    return ++last;
  }

  /**
   * Checks all of the file.
   *
   * @throws IllegalStateException if it does not have {@code pattern}
   */
  void expect(int pattern) throws IOException {
    Path present = Objects.requireNonNull(path);
    if (Files.size(present) != bytes) {
      throw new IllegalStateException(
          "the file has " + Files.size(present) + " bytes, not " + bytes);
    }
    try (FileChannel channel = FileChannel.open(present)) {
      ByteBuffer piece = newPiece();
      for (int at = 0; at < bytes; at += PIECE) {
        read(channel, limited(piece, at), at);
        expect(piece.flip(), at, pattern, "the file");
      }
    }
  }

  /** A direct buffer for {@link #PIECE} bytes, or fewer if that is the whole file. */
  ByteBuffer newPiece() {
    return ByteBuffer.allocateDirect(Math.min(PIECE, bytes)).order(ByteOrder.nativeOrder());
  }

  /**
   * {@code piece}, from its beginning to where the file ends if the piece lies {@code at} there.
   */
  ByteBuffer limited(ByteBuffer piece, int at) {
    return piece.position(0).limit(Math.min(PIECE, bytes - at));
  }

  /** Fills the rest of {@code target} with {@code pattern} from {@code at} on, and flips it. */
  static void put(ByteBuffer target, int at, int pattern) {
    while (target.hasRemaining()) {
      target.putInt(word(at + target.position(), pattern));
    }
    target.flip();
  }

  /**
   * Checks {@code found}, which begins {@code at} in {@code where}.
   *
   * @throws IllegalStateException if it does not have {@code pattern}
   */
  static void expect(ByteBuffer found, int at, int pattern, String where) {
    while (found.hasRemaining()) {
      int offset = at + found.position();
      int word = found.getInt();
      if (word != word(offset, pattern)) {
        throw new IllegalStateException(
            where
                + " has "
                + word
                + " at byte "
                + offset
                + " where "
                + word(offset, pattern)
                + " should be");
      }
    }
  }

  private static int word(int offset, int pattern) {
    return offset / Integer.BYTES * SPREADING + pattern;
  }

  /** Reads until {@code target} is full. */
  static void read(FileChannel channel, ByteBuffer target, int at) throws IOException {
    int start = target.position();
    while (target.hasRemaining()) {
      int offset = at + target.position() - start;
      if (channel.read(target, offset) < 0) {
        throw new IOException("the file ends at byte " + offset);
      }
    }
  }

  /** Writes all that remains of {@code source}. */
  static void write(FileChannel channel, ByteBuffer source, int at) throws IOException {
    int start = source.position();
    while (source.hasRemaining()) {
      channel.write(source, (long) at + source.position() - start);
    }
  }

  /** Deletes the file, if it is there. */
  @Override
  public void close() {
    if (path != null) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      path = null;
    }
  }
}
