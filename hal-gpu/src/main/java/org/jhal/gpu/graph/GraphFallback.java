package org.jhal.gpu.graph;

import org.jhal.HalException;
import org.jhal.Status;

/** Why commands that could be a graph are issued one by one; the text is for statistics. */
enum GraphFallback {
  BEING_MADE("its graph is being made"),
  OUT_OF_MEMORY("no memory for its graph"),
  REFUSED("the runtime refused its graph"),
  OTHER_MEMORY("a slot has memory of another kind"),
  IN_FLIGHT("its graph cannot be changed in flight"),
  GIVEN_UP("its graph was refused or given up lately");

  private final String text;

  GraphFallback(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /** The reason for a failed call that makes or changes a graph. */
  static GraphFallback of(HalException failure) {
    return failure.status() == Status.RESOURCE_EXHAUSTED ? OUT_OF_MEMORY : REFUSED;
  }
}
