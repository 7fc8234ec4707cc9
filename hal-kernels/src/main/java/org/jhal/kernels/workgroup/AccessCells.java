// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import org.jspecify.annotations.Nullable;

/**
 * What a dispatch has done to a memory, for each element: the last plain write, the last atomic
 * operation, and the reads of two groups.
 */
final class AccessCells {
  /** How an element is accessed. */
  enum Kind {
    READ("reads"),
    WRITE("writes"),
    ATOMIC("changes atomically");

    final String verb;

    Kind(String verb) {
      this.verb = verb;
    }
  }

  /** An access that is not ordered before the present one. */
  record Other(Kind kind, int span, int site) {}

  // A cell has a span and a site for each of these; the span is 0 if there was none.
  private static final int WRITE = 0;
  private static final int ATOMIC = 2;
  private static final int READ = 4;
  private static final int OTHER_READ = 6;
  private static final int CELL = 8;

  /** In place of the span of a write: parts of the element are accessed, so it is left out. */
  private static final int IN_PARTS = -1;

  private static final int CHUNK = 512; // cells

  private final GroupOrder order;
  private final long first;
  private final int element;
  private final int[] @Nullable [] chunks; // made when they are needed

  /**
   * For a part of a memory.
   *
   * @param low where it begins, in bytes
   * @param high where it ends
   * @param element the size of an element
   */
  AccessCells(GroupOrder order, long low, long high, int element) {
    this.order = order;
    this.element = element;
    this.first = low / element;
    this.chunks = new int[(int) ((high / element - first) / CHUNK + 1)][];
  }

  /**
   * Adds an access of the present group.
   *
   * @param at where in the memory, in bytes
   * @param site where in the code
   * @return an access of another group that may come before or after it; null if there is none
   */
  @Nullable Other access(long at, int bytes, Kind kind, int site) {
    boolean isPart = at % element != 0 || (at + bytes) % element != 0;
    Other found = null;
    for (long cell = at / element - first; cell <= (at + bytes - 1) / element - first; cell++) {
      int index = (int) (cell / CHUNK);
      int[] chunk = chunks[index];
      if (chunk == null) {
        chunk = new int[CHUNK * CELL];
        chunks[index] = chunk;
      }
      int c = (int) (cell % CHUNK) * CELL;
      if (isPart) {
        chunk[c] = IN_PARTS;
      }
      if (chunk[c] != IN_PARTS) {
        found = found == null ? other(chunk, c, kind) : found;
        add(chunk, c, kind, site);
      }
    }
    return found;
  }

  private @Nullable Other other(int[] chunk, int c, Kind kind) {
    if (isUnordered(chunk[c + WRITE])) {
      return new Other(Kind.WRITE, chunk[c + WRITE], chunk[c + WRITE + 1]);
    }
    if (kind != Kind.ATOMIC && isUnordered(chunk[c + ATOMIC])) {
      return new Other(Kind.ATOMIC, chunk[c + ATOMIC], chunk[c + ATOMIC + 1]);
    }
    for (int read = READ; kind != Kind.READ && read <= OTHER_READ; read += 2) {
      if (isUnordered(chunk[c + read])) {
        return new Other(Kind.READ, chunk[c + read], chunk[c + read + 1]);
      }
    }
    return null;
  }

  private boolean isUnordered(int span) {
    return span != 0 && order.isUnordered(span);
  }

  private void add(int[] chunk, int c, Kind kind, int site) {
    int now = order.span();
    int where =
        switch (kind) {
          case WRITE -> WRITE;
          case ATOMIC -> ATOMIC;
          case READ -> {
            int span = chunk[c + READ];
            yield span == 0 || order.group(span) == order.group(now) ? READ : OTHER_READ;
          }
        };
    chunk[c + where] = now;
    chunk[c + where + 1] = site;
  }
}
