package org.jhal.engine.collective;

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
  private int piece;

  @GuardedBy("this")
  private long start; // of the piece's remaining bytes

  public Cursor(Layout layout) {
    this.layout = layout;
  }

  /** The next chunk, of at least one and at most {@code most} bytes, or null if none is left. */
  public synchronized @Nullable Chunk next(int most) {
    if (start == layout.length() || piece == layout.pieces().size()) {
      return null;
    }
    int size = (int) Math.min(most, layout.length() - start);
    Chunk chunk = new Chunk(layout.pieces().get(piece), start, size);
    start += size;
    if (start == layout.length() && piece + 1 < layout.pieces().size()) {
      piece++;
      start = 0;
    }
    return chunk;
  }
}
