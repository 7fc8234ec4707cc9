// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Structured steps visit the blocks that the branches visit, whichever way each of them goes. */
class StructurerTest {
  private static final int VISITS = 200; // of blocks, in one run
  private static final int RUNS = 20;

  @Test
  void keepsTheOrderOfBlocksInRandomGraphs() {
    for (int seed = 0; seed < 3000; seed++) {
      int[][] next = graph(new Random(seed));
      check("seed " + seed, next);
    }
  }

  @Test
  void leavesNestedLoopsFromInside() {
    // Two loops; block 4 leaves both, block 5 continues the outer one.
    check("nested", new int[][] {{1}, {2, 8}, {3, 7}, {4, 5}, {9, 6}, {6, 1}, {2}, {1}, {9}, {}});
  }

  @Test
  void turnsALoopWithTwoEntriesIntoADispatch() {
    int[][] next = {{1, 2}, {2, 3}, {1}, {}};
    check("two entries", next);
    assertTrue(
        Structurer.steps(new FlowGraph(next)).stream()
            .anyMatch(step -> step.kind() == Step.Kind.DISPATCH));
  }

  @Test
  void keepsLoopsWithOneEntry() {
    int[][] next = {{1}, {2, 3}, {1}, {}};
    List<Step> steps = Structurer.steps(new FlowGraph(next));
    assertFalse(steps.stream().anyMatch(step -> step.kind() == Step.Kind.DISPATCH));
    assertEquals(1, steps.stream().filter(step -> step.kind() == Step.Kind.LOOP).count());
    assertFalse(steps.stream().anyMatch(step -> step.kind() == Step.Kind.SET), "no number needed");
  }

  /** What comes after a loop is not in it: work items that left early wait there for others. */
  @Test
  void placesWhatFollowsALoopBehindIt() {
    List<Step> steps = Structurer.steps(new FlowGraph(new int[][] {{1}, {2, 3}, {1, 3}, {}}));
    int repeat = indexOf(steps, Step.Kind.LOOP, 1);
    int after =
        steps.indexOf(steps.stream().filter(step -> isCode(step, 3)).findFirst().orElseThrow());
    assertTrue(after > repeat, steps.toString());
  }

  private static int indexOf(List<Step> steps, Step.Kind kind, int label) {
    Step loop = steps.stream().filter(step -> step.kind() == kind).findFirst().orElseThrow();
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).kind() == Step.Kind.LABEL
          && steps.get(i).labels()[0] == loop.labels()[label]) {
        return i;
      }
    }
    throw new AssertionError("no label " + label);
  }

  private static boolean isCode(Step step, int block) {
    return step.kind() == Step.Kind.CODE && step.block() == block;
  }

  private static void check(String what, int[][] next) {
    List<Step> steps = Structurer.steps(new FlowGraph(next));
    checkStructure(what, steps);
    for (int run = 0; run < RUNS; run++) {
      assertEquals(walk(next, new Random(run)), play(what, next, steps, new Random(run)), what);
    }
  }

  private static int[][] graph(Random random) {
    int count = 2 + random.nextInt(12);
    int[][] next = new int[count][];
    boolean isMostlyForward = random.nextBoolean();
    for (int block = 0; block < count; block++) {
      Set<Integer> targets = new TreeSet<>();
      int wanted = block == count - 1 ? 0 : random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(3);
      for (int i = 0; i < wanted; i++) {
        boolean isForward = isMostlyForward && random.nextInt(4) != 0;
        int from = isForward ? block + 1 : 1;
        targets.add(from + random.nextInt(count - from));
      }
      next[block] = targets.stream().mapToInt(target -> target).toArray();
    }
    return next;
  }

  private static List<Integer> walk(int[][] next, Random random) {
    List<Integer> visited = new ArrayList<>();
    for (int block = 0; visited.size() < VISITS; ) {
      visited.add(block);
      if (next[block].length == 0) {
        break;
      }
      block = next[block][choice(next[block], random)];
    }
    return visited;
  }

  private static int choice(int[] targets, Random random) {
    return targets.length == 1 ? 0 : random.nextInt(targets.length);
  }

  private static int place(Map<Integer, Integer> places, int label) {
    return Objects.requireNonNull(places.get(label), "no label " + label);
  }

  private static List<Integer> play(String what, int[][] next, List<Step> steps, Random random) {
    Map<Integer, Integer> places = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).kind() == Step.Kind.LABEL) {
        places.put(steps.get(i).labels()[0], i);
      }
    }
    List<Integer> visited = new ArrayList<>();
    int remembered = -1;
    int expected = -1; // the target of the last edge
    for (int at = 0; ; at++) {
      Step step = steps.get(at);
      switch (step.kind()) {
        case CODE -> {
          if (visited.size() == VISITS) {
            return visited;
          }
          assertTrue(expected < 0 || expected == step.block(), what + ": went elsewhere");
          visited.add(step.block());
        }
        case EDGE -> expected = step.labels()[0];
        case LABEL, LOOP -> {}
        case BRANCH -> at = place(places, step.labels()[0]);
        case SELECT, SWITCH ->
            at = place(places, step.labels()[1 + choice(next[step.block()], random)]);
        case FRAME -> at = place(places, step.labels()[1]);
        case SET -> remembered = step.block();
        case TEST -> at = place(places, step.labels()[remembered == step.block() ? 1 : 0]);
        case DISPATCH -> at = place(places, step.labels()[1 + remembered]);
        case EXIT -> {
          return visited;
        }
        case UNREACHABLE -> throw new AssertionError(what + ": came to what is unreachable");
      }
    }
  }

  /** Each construct ends behind its parts, and only its own parts and what surrounds them meet. */
  private static void checkStructure(String what, List<Step> steps) {
    Map<Integer, Integer> places = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).kind() == Step.Kind.LABEL) {
        assertEquals(null, places.put(steps.get(i).labels()[0], i), what + ": a label twice");
      }
    }
    Deque<int[]> open = new ArrayDeque<>(); // of constructs: where they end
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      while (!open.isEmpty() && open.peek()[0] <= i) {
        open.pop();
      }
      for (int label : step.kind() == Step.Kind.EDGE ? new int[0] : step.labels()) {
        assertTrue(places.containsKey(label), what + ": no label " + label);
      }
      switch (step.kind()) {
        case SELECT, SWITCH, FRAME, LOOP, TEST, DISPATCH -> {
          int end = place(places, step.labels()[0]);
          assertTrue(
              end > i && (open.isEmpty() || end <= open.peek()[0]),
              what + ": overlaps at " + i + " of " + Arrays.toString(steps.toArray()));
          open.push(new int[] {end});
        }
        default -> {}
      }
    }
  }
}
