package org.jhal.gpu.graph;

/** The stream as its graphs see it. For its issuing thread, except for {@link #fired}. */
public interface GraphStream {
  long handle();

  int index();

  /** The number of the next recording. */
  long nextPosition();

  /** The number of a recording up to which all have fired. For any thread. */
  long fired();
}
