// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

/** The stream as its graphs see it. For its issuing thread, except for {@link #isPast}. */
public interface GraphStream {
  long handle();

  int index();

  /** The number of the next recording. */
  long nextPosition();

  /**
   * Whether the stream is past a recording, which may still be to come. May ask the runtime. For
   * any thread, with the device bound.
   */
  boolean isPast(long position);
}
