// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of the commands of a graph: barriers order everything, and nothing else is ordered. */
class GraphPlanTest {
  private static CommandList commands(String text) {
    List<Command> all = new ArrayList<>();
    for (char letter : text.toCharArray()) {
      Command.Kind kind = letter == '|' ? Command.Kind.BARRIER : Command.Kind.FILL;
      all.add(
          (Command)
              Proxy.newProxyInstance(
                  Command.class.getClassLoader(),
                  new Class<?>[] {Command.class},
                  (self, method, arguments) ->
                      switch (method.getName()) {
                        case "kind" -> kind;
                        case "equals" -> self == arguments[0];
                        default -> 0;
                      }));
    }
    return new CommandList() {
      @Override
      public int size() {
        return all.size();
      }

      @Override
      public Command get(int index) {
        return all.get(index);
      }
    };
  }

  /** By node: all nodes that it runs behind, directly or not. */
  private static List<BitSet> before(GraphPlan plan) {
    List<BitSet> before = new ArrayList<>();
    for (int node = 0; node < plan.size(); node++) {
      BitSet all = new BitSet();
      for (int direct : plan.dependencies(node)) {
        assertTrue(direct < node, "nodes have smaller numbers than those behind them");
        all.set(direct);
        all.or(before.get(direct));
      }
      before.add(all);
    }
    return before;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "|",
        "a",
        "ab",
        "abcd",
        "abcde",
        "a|b",
        "|a||b|",
        "ab|c|de",
        "abcdefghij|kl|m",
        "a|bcdefghij|k",
        "abc|defgh|ij|k|lmnopq"
      })
  void aBarrierOrdersAllBeforeItAgainstAllBehindIt(String text) {
    CommandList list = commands(text);
    GraphPlan plan = GraphPlan.of(list);
    assertEquals(text.replace("|", "").length(), plan.size());
    List<Integer> sections = new ArrayList<>();
    int section = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '|') {
        section++;
      } else {
        assertEquals(list.get(i), plan.command(sections.size()), "command " + i);
        sections.add(section);
      }
    }
    List<BitSet> before = before(plan);
    int most = 0;
    for (int node = 0; node < plan.size(); node++) {
      most = Math.max(most, plan.dependencies(node).length);
      for (int other = 0; other < node; other++) {
        if (sections.get(other) < sections.get(node)) {
          assertTrue(before.get(node).get(other), node + " must run behind " + other);
        }
      }
    }
    assertEquals(most, plan.mostDependencies());
  }

  /** A few chains, and more of them for many commands. */
  @Test
  void commandsWithoutABarrierFormChains() {
    for (int count : new int[] {1, 3, 4, 5, 127, 128, 300}) {
      GraphPlan plan = GraphPlan.of(commands("x".repeat(count)));
      int chains = Math.min(count, count < 128 ? 4 : 8);
      long starts =
          IntStream.range(0, count).filter(node -> plan.dependencies(node).length == 0).count();
      assertEquals(chains, starts, "chains of " + count);
      boolean[] isFollowed = new boolean[count];
      for (int node = 0; node < count; node++) {
        for (int direct : plan.dependencies(node)) {
          assertFalse(isFollowed[direct], "two nodes behind " + direct);
          isFollowed[direct] = true;
        }
      }
      long ends = IntStream.range(0, count).filter(node -> !isFollowed[node]).count();
      assertEquals(chains, ends, () -> "ends of " + count + ": " + Arrays.toString(isFollowed));
    }
  }
}
