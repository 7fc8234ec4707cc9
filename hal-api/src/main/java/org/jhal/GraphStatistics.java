// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Map;
import java.util.Objects;

/**
 * How a device runs reusable command buffers as graphs of its native runtime (rule K6). It may run
 * single commands that are repeated as graphs, too. The numbers are read one after the other, not
 * at a single instant.
 *
 * @param instances the number of graphs that exist and can be launched, with those of single
 *     commands
 * @param bytes the approximate size of the device memory that they occupy
 * @param launches the number of submissions of command buffers that were launched as a graph so far
 * @param nodesSet the number of commands in their graphs that were given other buffers so far
 * @param fallbacks the number of submissions so far that were issued command by command although
 *     their command buffer has, or could have had, a graph; by reason. A reason is a text for
 *     users:
 *     <ul>
 *       <li>"its graph is being made": in the background; submissions before it is ready are issued
 *           command by command
 *       <li>"no memory for its graph"
 *       <li>"the runtime refused its graph"
 *       <li>"a slot has memory of another kind" than when the graph was created
 *       <li>"its graph cannot be changed in flight", where the runtime does not allow that
 *       <li>"its graph was refused or given up lately", for example to free memory for others; it
 *           is created again after some more submissions
 *     </ul>
 */
public record GraphStatistics(
    long instances, long bytes, long launches, long nodesSet, Map<String, Long> fallbacks) {
  /** The statistics of a device that uses no graphs. */
  public static final GraphStatistics NONE = new GraphStatistics(0, 0, 0, 0, Map.of());

  /** Rejects null, and copies {@code fallbacks}. */
  public GraphStatistics {
    fallbacks = Map.copyOf(Objects.requireNonNull(fallbacks, "fallbacks"));
  }
}
