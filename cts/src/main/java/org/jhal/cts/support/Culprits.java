// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Selects which of several things fail in a test. A driver that checks only the first of its
 * producers, ranks or transfers, or stops at the first one that fails, passes a test in which only
 * the first one fails. So such a test lets each of them fail alone, and also two of them; {@link
 * #positions} supplies its parameters.
 *
 * @param count how many things there are
 * @param which the positions of those that fail, from 0, in ascending order
 */
public record Culprits(int count, List<Integer> which) {
  /** Copies the list. */
  public Culprits {
    which = List.copyOf(which);
  }

  /**
   * Each of {@code count} alone: the first and the last. If there are more than two, also the last
   * two together.
   */
  public static Stream<Culprits> positions(int count) {
    List<Culprits> all = new ArrayList<>();
    IntStream.range(0, count).forEach(one -> all.add(new Culprits(count, List.of(one))));
    if (count > 1) {
      all.add(new Culprits(count, List.of(0, count - 1)));
    }
    if (count > 2) {
      all.add(new Culprits(count, List.of(count - 2, count - 1)));
    }
    return all.stream();
  }

  /** Whether the thing at this position fails. */
  public boolean has(int position) {
    return which.contains(position);
  }

  /** The positions of those that do not fail, in ascending order. */
  public List<Integer> others() {
    return IntStream.range(0, count).filter(one -> !has(one)).boxed().toList();
  }

  @Override
  public String toString() {
    return which + " of " + count;
  }
}
