package org.jhal.cts.support;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which of several things fail in a test. A driver that looks only at the first of its producers,
 * ranks or transfers, or stops looking at the first that fails, passes a test that lets only the
 * first one fail. So such a test has each of them fail alone, and two of them; {@link #positions}
 * is the source of its parameters.
 *
 * @param count how many things there are
 * @param which the positions of those that fail, from 0 and ascending
 */
public record Culprits(int count, List<Integer> which) {
  /** Copies the list. */
  public Culprits {
    which = List.copyOf(which);
  }

  /** Each of {@code count} alone, the first and the last, and, of more than two, the last two. */
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

  /** Whether what is at this position fails. */
  public boolean has(int position) {
    return which.contains(position);
  }

  /** The positions of those that do not fail, ascending. */
  public List<Integer> others() {
    return IntStream.range(0, count).filter(one -> !has(one)).boxed().toList();
  }

  @Override
  public String toString() {
    return which + " of " + count;
  }
}
