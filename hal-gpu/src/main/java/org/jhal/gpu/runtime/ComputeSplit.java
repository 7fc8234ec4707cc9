// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.runtime;

import java.util.BitSet;
import org.jhal.HalException;

/**
 * The native calls that divide the compute units of an open device into granules of the same size,
 * and a remainder that belongs to none. A <em>place</em> is a set of granules, with or without the
 * remainder; kernels of a stream of a place run there. Places and streams are numbers.
 *
 * <p>Failures are {@link HalException}s, as those of {@link GpuRuntime}.
 *
 * <p>Threads: the methods are called from any thread, with no lock held and with the device bound.
 */
public interface ComputeSplit {
  /** How many compute units the device has. */
  int units();

  /** How many of them are in a granule. */
  int granule();

  /** How many granules there are; at least 2. */
  int granules();

  /**
   * Makes a place.
   *
   * @param granules which it has; at least one
   * @param hasRemainder whether it also has what is in no granule
   */
  long makePlace(BitSet granules, boolean hasRemainder);

  /**
   * The context of a place, in which nodes of graphs are made: their kernels run where it is,
   * whatever the stream of the launch.
   */
  long contextOf(long place);

  /** Whether {@link #contextOf} means something: graphs can be launched into streams of places. */
  boolean hasGraphs();

  /** Whether streams of places have priorities. */
  boolean hasPriorities();

  /** Whether cooperative kernels of streams of places run there, as other kernels do. */
  boolean bindsCooperative();

  /** Opens a stream of a place; {@link GpuRuntime#closeStream} destroys it. */
  long openStream(long place, int priority);

  /** Ends a place without streams. Never throws. */
  void endPlace(long place);
}
