package org.jhal.gpu.graph;

/**
 * What graphs need to know of the stream into which they are launched. For the thread that issues
 * to it, except for {@link #fired}.
 */
public interface GraphStream {
  /** The native stream. */
  long handle();

  /** Its place among the device's streams, from 0. */
  int index();

  /** The number of the next recording. */
  long nextPosition();

  /** A number of a recording; it and all before it have fired. Any thread may ask. */
  long fired();
}
