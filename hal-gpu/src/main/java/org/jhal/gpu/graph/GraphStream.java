// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import org.jspecify.annotations.Nullable;

/** The stream as its graphs see it. For its issuing thread, except for {@link #isPast}. */
public interface GraphStream {
  long handle();

  int index();

  /**
   * Where kernels of the stream run, an object for each place; null if that is everywhere. It may
   * change between two submissions.
   */
  @Nullable Object place();

  /** Whether graphs run in its place. If not, it launches none. */
  boolean keepsGraphs();

  /** The context in which nodes of its graphs are made; 0 for the device's own. */
  long context();

  /** The number of the next recording. */
  long nextPosition();

  /**
   * Whether the stream is past a recording, which may still be to come. May ask the runtime. For
   * any thread, with the device bound.
   */
  boolean isPast(long position);
}
