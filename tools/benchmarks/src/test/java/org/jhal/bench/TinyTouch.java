// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import org.example.tiny.TinyGroup;

/** The kernel of the benchmarks in the format {@code tiny}. */
public final class TinyTouch {
  private TinyTouch() {}

  /** Writes a word. One workgroup. */
  public static void touch(TinyGroup group) {
    group.buffers()[0].putInt(0, group.i32(1));
  }
}
