// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.flow;

import java.util.ArrayList;
import java.util.List;
import org.jhal.spirv.flow.Step.Kind;

/** Any control flow as one loop over a switch: right for all, and slower. */
final class Dispatcher {
  private final FlowGraph graph;
  private final List<Step> steps = new ArrayList<>();
  private int labels;

  private Dispatcher(FlowGraph graph) {
    this.graph = graph;
  }

  static List<Step> steps(FlowGraph graph) {
    Dispatcher dispatcher = new Dispatcher(graph);
    dispatcher.add();
    return dispatcher.steps;
  }

  private void add() {
    int head = labels++;
    int merge = labels++;
    int repeat = labels++;
    int body = labels++;
    int end = labels++;
    addBlock(0, head);
    add(Kind.LABEL, 0, head);
    add(Kind.LOOP, 0, merge, repeat);
    add(Kind.BRANCH, 0, body);
    add(Kind.LABEL, 0, body);
    int[] of = new int[graph.size() + 1]; // of blocks that nothing reaches, the end
    of[0] = end;
    for (int block = 0; block < graph.size(); block++) {
      of[block + 1] = block > 0 && graph.order(block) >= 0 ? labels++ : end;
    }
    add(Kind.DISPATCH, 0, of);
    for (int block = 1; block < graph.size(); block++) {
      if (of[block + 1] != end) {
        add(Kind.LABEL, 0, of[block + 1]);
        addBlock(block, end);
      }
    }
    add(Kind.LABEL, 0, end);
    add(Kind.BRANCH, 0, repeat);
    add(Kind.LABEL, 0, repeat);
    add(Kind.BRANCH, 0, head);
    add(Kind.LABEL, 0, merge);
    add(Kind.UNREACHABLE, 0);
  }

  /** Adds a block that goes to {@code on} and remembers the next one. */
  private void addBlock(int block, int on) {
    add(Kind.CODE, block);
    int[] next = graph.next(block);
    if (next.length == 0) {
      add(Kind.EXIT, block);
      return;
    }
    if (next.length == 1) {
      addEdge(block, next[0], on);
      return;
    }
    int[] of = new int[next.length + 1];
    for (int i = 0; i < of.length; i++) {
      of[i] = labels++;
    }
    add(next.length == 2 ? Kind.SELECT : Kind.SWITCH, block, of);
    for (int i = 0; i < next.length; i++) {
      add(Kind.LABEL, 0, of[i + 1]);
      addEdge(block, next[i], of[0]);
    }
    add(Kind.LABEL, 0, of[0]);
    add(Kind.BRANCH, 0, on);
  }

  private void addEdge(int from, int to, int on) {
    add(Kind.EDGE, from, to);
    add(Kind.SET, to);
    add(Kind.BRANCH, 0, on);
  }

  private void add(Kind kind, int block, int... of) {
    steps.add(new Step(kind, block, of));
  }
}
