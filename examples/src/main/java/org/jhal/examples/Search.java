// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** The kernels of {@code examples/search} in Java; {@code search.cpp} beside it has their twins. */
public final class Search {
  /** How many work items a workgroup of {@code expand} has. */
  private static final int ITEMS = 64;

  private Search() {}

  /** Finds the vertices of the next level. */
  public static void expand(
      Workgroup group,
      Ints starts,
      Ints edges,
      Ints level,
      Ints from,
      Ints visits,
      Ints levels,
      Ints to) {
    for (long i = group.firstX(); i < group.endX(from.getUnsigned(0)); i++) {
      int vertex = from.get(1 + i);
      for (int edge = starts.get(vertex); edge < starts.get(vertex + 1); edge++) {
        int next = edges.get(edge);
        if (visits.getAndAdd(next, 1) == 0) {
          levels.set(next, level.get(0) + 1);
          to.set(1 + to.getAndAdd(0, 1), next);
        }
      }
    }
  }

  /** Says how many workgroups the next level needs, and empties the list of this one. */
  public static void advance(Workgroup group, Ints from, Ints to, Ints level, Ints groups) {
    groups.set(0, (to.get(0) + ITEMS - 1) / ITEMS);
    groups.set(1, 1);
    groups.set(2, 1);
    from.set(0, 0);
    level.set(0, level.get(0) + 1);
  }
}
