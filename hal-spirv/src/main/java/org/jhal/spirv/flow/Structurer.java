// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.flow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jhal.spirv.flow.Step.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Turns branches between blocks into nested selections and loops, as Vulkan requires.
 *
 * <p>Values must not depend on dominance, except of the first block: a block may end up where
 * another one, which dominated it, does not.
 */
public final class Structurer {
  /*
   * A block to which several branches lead comes after all of them: behind the selection of the
   * block that dominates it, or, if that is in a loop which does not contain it, behind the loop.
   * All other blocks come where the branch to them was. The result is a nest in which each branch
   * leads to the end of something around it, or back to the head of a loop around it. Most are at
   * an end, and fall through. Others leave the innermost loop or switch; what should be left and is
   * neither is put into a switch with one case (a "frame", found by trying). Who has to leave
   * several remembers the target in a number, which is tested behind each of them.
   *
   * A function that cannot be nested so, since a loop has several entries, becomes one loop over a
   * switch.
   */

  /** Deeper nests would need too much stack. */
  private static final int DEEPEST = 400;

  private enum Around {
    SELECTION,
    FRAME,
    LOOP
  }

  /** What surrounds the place where steps are added. */
  private static final class Frame {
    final Around around;
    final int header; // of a loop
    final int merge;
    final int repeat; // of a loop
    final Set<Integer> follow; // where control arrives from the merge on
    final Set<Integer> pending = new LinkedHashSet<>(); // targets beyond the merge

    Frame(Around around, int header, int merge, int repeat, Set<Integer> follow) {
      this.around = around;
      this.header = header;
      this.merge = merge;
      this.repeat = repeat;
      this.follow = follow;
    }
  }

  /** Where control goes from the end of what is added. */
  private record Fall(int label, Set<Integer> targets) {}

  private interface Part {
    void add(Fall fall);
  }

  private final FlowGraph graph;
  private final Map<Integer, List<Integer>> within = new HashMap<>(); // behind a block's selection
  private final Map<Integer, List<Integer>> behind = new HashMap<>(); // behind a header's loop
  private final Set<Integer> placed = new TreeSet<>();
  private final Set<Integer> framed = new TreeSet<>();
  private final List<Frame> frames = new ArrayList<>();
  private List<Step> steps = new ArrayList<>();
  private Set<Integer> reached = new TreeSet<>(); // labels
  private int labels;
  private boolean isMissingFrame;

  private Structurer(FlowGraph graph) {
    this.graph = graph;
    for (int block : graph.blocks()) {
      place(block);
    }
    Comparator<Integer> byOrder = Comparator.comparingInt(graph::order);
    within.values().forEach(blocks -> blocks.sort(byOrder));
    behind.values().forEach(blocks -> blocks.sort(byOrder));
  }

  /** The steps of a function. */
  public static List<Step> steps(FlowGraph graph) {
    if (!graph.isReducible() || graph.depth() > DEEPEST) {
      return Dispatcher.steps(graph);
    }
    Structurer structurer = new Structurer(graph);
    do {
      structurer.reset();
      structurer.addTree(0, new Fall(structurer.label(), Set.of()));
    } while (structurer.isMissingFrame);
    return structurer.steps;
  }

  private void reset() {
    steps = new ArrayList<>();
    reached = new TreeSet<>();
    labels = 0;
    isMissingFrame = false;
  }

  private void place(int block) {
    if (block == 0) {
      return;
    }
    int above = graph.dominator(block);
    int left = graph.leftLoop(above, block);
    if (left >= 0) {
      behind.computeIfAbsent(left, key -> new ArrayList<>()).add(block);
      placed.add(block);
    } else if (graph.forwardEdges(block) > 1) {
      within.computeIfAbsent(above, key -> new ArrayList<>()).add(block);
      placed.add(block);
    }
  }

  private int label() {
    return labels++;
  }

  private void add(Kind kind, int block, int... of) {
    steps.add(new Step(kind, block, of));
  }

  private void branch(int label) {
    reached.add(label);
    add(Kind.BRANCH, 0, label);
  }

  /** Adds a block with all that it dominates. */
  private void addTree(int block, Fall fall) {
    if (graph.isHeader(block)) {
      addBehind(behind.getOrDefault(block, List.of()), inner -> addLoop(block, inner), fall);
    } else {
      addWithin(block, fall);
    }
  }

  private void addWithin(int block, Fall fall) {
    addBehind(within.getOrDefault(block, List.of()), inner -> addBlock(block, inner), fall);
  }

  /** Adds a part, and behind it blocks, each of which the earlier ones may branch to. */
  private void addBehind(List<Integer> blocks, Part part, Fall fall) {
    if (blocks.isEmpty()) {
      part.add(fall);
      return;
    }
    int last = blocks.get(blocks.size() - 1);
    List<Integer> earlier = blocks.subList(0, blocks.size() - 1);
    Fall toLast = new Fall(label(), Set.of(last));
    if (framed.contains(last)) {
      int body = label();
      int start = steps.size();
      add(Kind.FRAME, 0, toLast.label, body);
      add(Kind.LABEL, 0, body);
      Frame frame = new Frame(Around.FRAME, -1, toLast.label, -1, toLast.targets);
      frames.add(frame);
      addBehind(earlier, part, toLast);
      frames.remove(frames.size() - 1);
      add(Kind.LABEL, 0, toLast.label);
      addPending(frame, start);
    } else {
      addBehind(earlier, part, toLast);
      add(Kind.LABEL, 0, toLast.label);
    }
    addTree(last, fall);
  }

  private void addLoop(int header, Fall fall) {
    int start = steps.size();
    int head = label();
    int merge = label();
    int repeat = label();
    int body = label();
    branch(head);
    add(Kind.LABEL, 0, head);
    add(Kind.LOOP, 0, merge, repeat);
    add(Kind.BRANCH, 0, body);
    add(Kind.LABEL, 0, body);
    Frame frame = new Frame(Around.LOOP, header, merge, repeat, fall.targets);
    frames.add(frame);
    addWithin(header, new Fall(repeat, Set.of(again(header))));
    frames.remove(frames.size() - 1);
    add(Kind.LABEL, 0, repeat);
    add(Kind.BRANCH, 0, head);
    add(Kind.LABEL, 0, merge);
    addPending(frame, start);
    end(merge, fall);
  }

  private void addBlock(int block, Fall fall) {
    add(Kind.CODE, block);
    int[] next = graph.next(block);
    if (next.length == 0) {
      add(Kind.EXIT, block);
    } else if (next.length == 1) {
      addBranch(block, next[0], fall);
    } else {
      int start = steps.size();
      int[] of = new int[next.length + 1];
      for (int i = 0; i < of.length; i++) {
        of[i] = label();
      }
      boolean isTwo = next.length == 2;
      add(isTwo ? Kind.SELECT : Kind.SWITCH, block, of);
      Frame frame = new Frame(isTwo ? Around.SELECTION : Around.FRAME, -1, of[0], -1, fall.targets);
      frames.add(frame);
      for (int i = 0; i < next.length; i++) {
        add(Kind.LABEL, 0, of[i + 1]);
        addBranch(block, next[i], new Fall(of[0], fall.targets));
      }
      frames.remove(frames.size() - 1);
      add(Kind.LABEL, 0, of[0]);
      addPending(frame, start);
      end(of[0], fall);
    }
  }

  /** Adds the way on from a merge. */
  private void end(int merge, Fall fall) {
    if (reached.contains(merge)) {
      branch(fall.label);
    } else {
      add(Kind.UNREACHABLE, 0);
    }
  }

  private void addBranch(int from, int to, Fall fall) {
    add(Kind.EDGE, from, to);
    if (graph.isBack(from, to)) {
      jump(again(to), fall);
    } else if (placed.contains(to)) {
      jump(to, fall);
    } else {
      addTree(to, fall);
    }
  }

  /** A number for the head of a loop as the target of those inside. */
  private static int again(int header) {
    return -1 - header;
  }

  private void jump(int target, Fall fall) {
    if (fall.targets.contains(target)) {
      branch(fall.label);
      return;
    }
    Frame leave = null;
    for (int i = frames.size() - 1; i >= 0; i--) {
      Frame frame = frames.get(i);
      if (frame.around == Around.LOOP && target == again(frame.header)) {
        branch(frame.repeat);
        return;
      }
      if (frame.around != Around.SELECTION && leave == null) {
        leave = frame;
      }
      if (frame.around == Around.LOOP) {
        break;
      }
    }
    leave(target, leave);
  }

  private void leave(int target, @Nullable Frame frame) {
    if (frame == null) {
      isMissingFrame = true;
      framed.add(target);
      add(Kind.UNREACHABLE, 0);
      return;
    }
    if (!frame.follow.contains(target)) {
      frame.pending.add(target);
      add(Kind.SET, number(target));
    }
    branch(frame.merge);
  }

  /** A number other than 0 to remember a target by. */
  private int number(int target) {
    return target < 0 ? graph.size() - target : target;
  }

  /** Adds, behind a frame, the jumps to targets beyond it. */
  private void addPending(Frame frame, int start) {
    if (frame.pending.isEmpty()) {
      return;
    }
    steps.add(start, new Step(Kind.SET, 0));
    for (int target : frame.pending) {
      int merge = label();
      int then = label();
      add(Kind.TEST, number(target), merge, then);
      add(Kind.LABEL, 0, then);
      frames.add(new Frame(Around.SELECTION, -1, merge, -1, Set.of()));
      jump(target, new Fall(merge, Set.of()));
      frames.remove(frames.size() - 1);
      add(Kind.LABEL, 0, merge);
    }
  }
}
