// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the chunks of a {@link Layout}, piece by piece.
 *
 * <p>Thread-safe.
 */
public final class Cursor {
  /** A part of a piece: {@code size} bytes from {@code start}. */
  public record Chunk(Layout.Piece piece, long start, int size) {}

  private final Layout layout;

  @GuardedBy("this")
  private long position; // in bytes of all pieces, one after the other

  public Cursor(Layout layout) {
    this.layout = layout;
  }

  /** The next chunk, of at least one and at most {@code most} bytes, or null if none is left. */
  public synchronized @Nullable Chunk next(int most) {
    if (position == layout.bytes()) {
      return null;
    }
    Layout.Piece piece = layout.pieces().get((int) (position / layout.length()));
    long start = position % layout.length();
    int size = (int) Math.min(most, layout.length() - start);
    position += size;
    return new Chunk(piece, start, size);
  }
}
