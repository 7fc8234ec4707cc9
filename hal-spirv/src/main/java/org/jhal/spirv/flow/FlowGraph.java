// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * The blocks of a function, by number from 0, where it begins, with dominators and loops. Blocks
 * that nothing reaches have no order.
 */
public final class FlowGraph {
  private final int[][] next;
  private final List<List<Integer>> previous = new ArrayList<>();
  private final int[] order; // in reverse postorder; -1 where nothing reaches
  private final int[] blocks; // by order
  private final int[] dominator;
  private final int[] depth;
  private final BitSet[] loops; // by header: its blocks; null for others
  private boolean isReducible = true;

  /**
   * Creates the graph in which block i is followed by one of {@code next[i]}, which are distinct.
   * No branch leads to block 0.
   */
  public FlowGraph(int[][] next) {
    this.next = next;
    order = new int[next.length];
    blocks = sort();
    for (int i = 0; i < next.length; i++) {
      previous.add(new ArrayList<>());
    }
    for (int block : blocks) {
      for (int after : next[block]) {
        previous.get(after).add(block);
      }
    }
    dominator = new int[next.length];
    depth = new int[next.length];
    findDominators();
    loops = new BitSet[next.length];
    findLoops();
  }

  int size() {
    return next.length;
  }

  /** The blocks that may follow a block. */
  public int[] next(int block) {
    return next[block];
  }

  /** The blocks that something reaches, in reverse postorder. */
  int[] blocks() {
    return blocks;
  }

  int order(int block) {
    return order[block];
  }

  int dominator(int block) {
    return dominator[block];
  }

  /** Whether each loop has one block through which it is entered. */
  boolean isReducible() {
    return isReducible;
  }

  /** The longest chain of blocks, each of which dominates the next one. */
  int depth() {
    return Arrays.stream(depth).max().orElse(0);
  }

  /** Whether a loop contains the block {@code from}, and not {@code to}. */
  public boolean leavesLoop(int from, int to) {
    return leftLoop(from, to) >= 0;
  }

  /**
   * The header of the outermost loop that contains {@code from}, and not {@code to}; -1 if none.
   */
  int leftLoop(int from, int to) {
    for (int header : blocks) {
      if (isHeader(header) && isInLoop(from, header) && !isInLoop(to, header)) {
        return header; // the first one is the outermost
      }
    }
    return -1;
  }

  /** Whether a block is where a loop begins. */
  public boolean isHeader(int block) {
    return loops[block] != null;
  }

  boolean isInLoop(int block, int header) {
    return loops[header].get(block);
  }

  /** Whether an edge leads back to the beginning of a loop. */
  boolean isBack(int from, int to) {
    return order[from] >= order[to];
  }

  /** The number of edges to a block that do not lead back. */
  int forwardEdges(int block) {
    int count = 0;
    for (int from : previous.get(block)) {
      count += isBack(from, block) ? 0 : 1;
    }
    return count;
  }

  private int[] sort() {
    Arrays.fill(order, -1);
    int[] postorder = new int[next.length];
    int count = 0;
    int[] at = new int[next.length];
    boolean[] seen = new boolean[next.length];
    Deque<Integer> path = new ArrayDeque<>();
    path.push(0);
    seen[0] = true;
    while (!path.isEmpty()) {
      int block = path.peek();
      if (at[block] == next[block].length) {
        postorder[count++] = path.pop();
        continue;
      }
      int after = next[block][at[block]++];
      if (!seen[after]) {
        seen[after] = true;
        path.push(after);
      }
    }
    int[] sorted = new int[count];
    for (int i = 0; i < count; i++) {
      sorted[i] = postorder[count - 1 - i];
      order[sorted[i]] = i;
    }
    return sorted;
  }

  private void findDominators() {
    Arrays.fill(dominator, -1);
    dominator[0] = 0;
    for (boolean changed = true; changed; ) {
      changed = false;
      for (int i = 1; i < blocks.length; i++) {
        int found = -1;
        for (int from : previous.get(blocks[i])) {
          if (dominator[from] >= 0) {
            found = found < 0 ? from : common(found, from);
          }
        }
        changed |= dominator[blocks[i]] != found;
        dominator[blocks[i]] = found;
      }
    }
    for (int i = 1; i < blocks.length; i++) {
      depth[blocks[i]] = depth[dominator[blocks[i]]] + 1;
    }
  }

  private int common(int a, int b) {
    while (a != b) {
      if (order[a] > order[b]) {
        a = dominator[a];
      } else {
        b = dominator[b];
      }
    }
    return a;
  }

  private boolean dominates(int above, int block) {
    while (order[block] > order[above]) {
      block = dominator[block];
    }
    return block == above;
  }

  private void findLoops() {
    for (int from : blocks) {
      for (int header : next[from]) {
        if (!isBack(from, header)) {
          continue;
        }
        if (!dominates(header, from)) {
          isReducible = false;
          return;
        }
        addLoop(from, header);
      }
    }
  }

  /** Adds to the loop what leads to {@code from} without passing the header. */
  private void addLoop(int from, int header) {
    BitSet loop = loops[header];
    if (loop == null) {
      loop = new BitSet();
      loop.set(header);
      loops[header] = loop;
    }
    Deque<Integer> open = new ArrayDeque<>();
    open.push(from);
    while (!open.isEmpty()) {
      int block = open.pop();
      if (!loop.get(block)) {
        loop.set(block);
        previous.get(block).forEach(open::push);
      }
    }
  }
}
