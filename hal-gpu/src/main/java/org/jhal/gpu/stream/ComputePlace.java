// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import org.jhal.gpu.runtime.ComputeSplit;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * Where kernels of streams run. Each set of compute units has one object, so that two places are
 * the same if they are one object.
 *
 * <p>Immutable.
 */
public final class ComputePlace {
  private final ComputeSplit split;
  private final long place;
  private final long context;
  private final int units;

  /** Takes over a place with this number of compute units. */
  ComputePlace(ComputeSplit split, long place, int units) {
    this.split = split;
    this.place = place;
    this.units = units;
    this.context = split.contextOf(place);
  }

  /** The context in which nodes of graphs are made; see {@link ComputeSplit#contextOf}. */
  long context() {
    return context;
  }

  /** How many workgroups of a cooperative kernel it holds, of those that the device holds. */
  long residents(long ofDevice) {
    return split.bindsCooperative() ? ofDevice / split.units() * units : ofDevice;
  }

  /** Whether graphs run in the place, and not somewhere else. */
  boolean hasGraphs() {
    return split.hasGraphs();
  }

  /** Opens a stream, which {@link GpuRuntime#closeStream} destroys. */
  public long openStream(int priority) {
    return split.openStream(place, priority);
  }

  void end() {
    split.endPlace(place);
  }
}
