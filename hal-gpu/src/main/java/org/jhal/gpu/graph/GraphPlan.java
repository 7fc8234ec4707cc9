// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import java.util.ArrayList;
import java.util.List;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;

/**
 * The shape of the graph for a list of commands: each command except barriers becomes a node, and
 * edges order the nodes as barriers order the commands (rule M3).
 *
 * <p>Commands between two barriers may run in parallel. They form a few chains, since a runtime
 * launches a graph of a few long chains in one go but takes time for each node of a wide one. A
 * barrier becomes edges from the ends of all chains before it to the beginnings of all chains
 * behind it. docs/results/README.md has the costs of other shapes.
 *
 * <p>Immutable.
 */
final class GraphPlan {
  private static final int CHAINS = 4;

  /** From this many commands between two barriers on there are more chains. */
  private static final int MANY = 128;

  private static final int MORE_CHAINS = 8;

  private final CommandList list;
  private final int[] commands; // by node: the index in the list
  private final int[][] dependencies; // by node: earlier nodes
  private int mostDependencies;

  private GraphPlan(CommandList list, int[] commands) {
    this.list = list;
    this.commands = commands;
    this.dependencies = new int[commands.length][];
  }

  static GraphPlan of(CommandList list) {
    List<Integer> commands = new ArrayList<>();
    List<Integer> ends = new ArrayList<>(); // nodes before each barrier, and in all
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).kind() != Command.Kind.BARRIER) {
        commands.add(i);
      } else {
        ends.add(commands.size());
      }
    }
    ends.add(commands.size());
    GraphPlan plan = new GraphPlan(list, commands.stream().mapToInt(Integer::intValue).toArray());
    int begin = 0;
    int[] before = {};
    for (int end : ends) {
      if (end > begin) { // not between adjacent barriers
        before = plan.connect(begin, end, before);
        begin = end;
      }
    }
    return plan;
  }

  /**
   * Arranges the nodes from {@code begin} to {@code end} in chains behind the nodes {@code before};
   * returns the ends of the chains.
   */
  private int[] connect(int begin, int end, int[] before) {
    int chains = Math.min(end - begin, end - begin < MANY ? CHAINS : MORE_CHAINS);
    for (int i = begin; i < end; i++) {
      dependencies[i] = i < begin + chains ? before : new int[] {i - chains};
      mostDependencies = Math.max(mostDependencies, dependencies[i].length);
    }
    int[] last = new int[chains];
    for (int i = 0; i < chains; i++) {
      last[i] = end - chains + i;
    }
    return last;
  }

  int size() {
    return commands.length;
  }

  Command command(int node) {
    return list.get(commands[node]);
  }

  /** The nodes that a node runs behind; all have smaller numbers. */
  int[] dependencies(int node) {
    return dependencies[node];
  }

  int mostDependencies() {
    return mostDependencies;
  }
}
