package org.jhal;

import java.util.Map;
import java.util.Objects;

/**
 * How a device runs reusable command buffers as graphs of its native runtime (rule K6). The numbers
 * are read one after the other, not at one instant.
 *
 * @param instances how many graphs exist that can be launched
 * @param bytes roughly how much memory of the device they take up
 * @param launches how many submissions were launched as a graph so far
 * @param nodesSet how many commands of graphs were given other buffers so far
 * @param fallbacks how many submissions of command buffers that have or could have had a graph were
 *     issued command by command all the same, by reason, so far. Reasons are texts for people:
 *     <ul>
 *       <li>"its graph is being made": in the background; a burst of submissions before it is ready
 *           is issued command by command
 *       <li>"no memory for its graph"
 *       <li>"the runtime refused its graph"
 *       <li>"a slot has memory of another kind" than when the graph was made
 *       <li>"its graph cannot be changed in flight", where the runtime does not allow it
 *       <li>"its graph was refused or given up lately", such as for memory that others need; it is
 *           made again after some more submissions
 *     </ul>
 */
public record GraphStatistics(
    long instances, long bytes, long launches, long nodesSet, Map<String, Long> fallbacks) {
  /** For a device that uses no graphs. */
  public static final GraphStatistics NONE = new GraphStatistics(0, 0, 0, 0, Map.of());

  /** Copies {@code fallbacks}. */
  public GraphStatistics {
    fallbacks = Map.copyOf(Objects.requireNonNull(fallbacks, "fallbacks"));
  }
}
