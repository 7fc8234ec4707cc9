package org.jhal.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a result: the samples of one metric, in the order of the rounds.
 *
 * @param label of the series
 * @param metric what was measured
 * @param jhal the samples
 * @param smallest the samples of the case's first series, or null if they are not to be compared
 * @param peers the samples of the peers, at least one
 */
record Row(
    String label, String metric, double[] jhal, double @Nullable [] smallest, List<Peer> peers) {
  /**
   * What stands beside JHAL.
   *
   * @param name of the peer
   * @param samples in the order of the rounds
   */
  record Peer(String name, double[] samples) {}
}
