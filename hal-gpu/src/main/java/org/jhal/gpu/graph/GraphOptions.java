// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.util.List;
import org.jhal.driver.options.Option;
import org.jhal.driver.options.Settings;

/**
 * When a device uses graphs.
 *
 * @param use {@code auto}, {@code on} or {@code off}
 * @param memory the approximate limit for the memory of graphs, in bytes
 */
public record GraphOptions(String use, long memory) {
  private static final String AUTO = "auto";
  private static final String ON = "on";
  private static final String OFF = "off";

  private static final Option<String> USE =
      Option.choice(
          "graph",
          AUTO,
          List.of(AUTO, ON, OFF),
          "whether reusable command buffers, repeated collectives, and where that is faster also"
              + " repeated dispatches and small copies, run as native graphs: auto makes a graph in"
              + " the background after the second submission, or the fourth of such a command; on"
              + " makes it before the second submission; a collective becomes one at its second call");

  private static final Option<Long> MEMORY =
      Option.bytes(
          "graph-memory",
          256L << 20,
          0,
          1L << 40,
          "how much memory native graphs take up at most, roughly");

  /** The options, to be passed to {@link Settings#resolve}. */
  public static List<Option<?>> all() {
    return List.of(USE, MEMORY);
  }

  public static GraphOptions of(Settings settings) {
    return new GraphOptions(settings.get(USE), settings.get(MEMORY));
  }

  public boolean isOff() {
    return use.equals(OFF);
  }

  /** Whether a graph is made before the second submission rather than in the background. */
  boolean isAlways() {
    return use.equals(ON);
  }
}
