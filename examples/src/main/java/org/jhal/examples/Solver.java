// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples;

import org.jhal.kernel.Doubles;
import org.jhal.kernel.Ints;
import org.jhal.kernel.Workgroup;

/** The kernel of {@code examples/solver} in Java; {@code solver.cpp} beside it has its twin. */
public final class Solver {
  private Solver() {}

  /** Solves a system of equations by conjugate gradients, in all workgroups together. */
  public static void solve(
      Workgroup group,
      int n,
      int steps,
      double tolerance,
      Doubles b,
      Doubles x,
      Doubles r,
      Doubles p,
      Doubles q,
      Doubles sums,
      Ints taken) {
    int share = (n + group.countX() - 1) / group.countX(); // neighbours, unlike in C++
    int first = Math.min(n, group.groupX() * share);
    int end = Math.min(n, first + share);
    double own = 0;
    for (int i = first; i < end; i++) {
      x.set(i, 0);
      r.set(i, b.get(i));
      p.set(i, b.get(i));
      own += b.get(i) * b.get(i);
    }
    double error = total(group, own, sums);
    int step = 0;
    while (step < steps && error > tolerance * tolerance) {
      own = 0;
      for (int i = first; i < end; i++) {
        double left = i > 0 ? p.get(i - 1) : 0;
        double right = i < n - 1 ? p.get(i + 1) : 0;
        q.set(i, 2.1 * p.get(i) - left - right);
        own += p.get(i) * q.get(i);
      }
      double length = error / total(group, own, sums);
      own = 0;
      for (int i = first; i < end; i++) {
        x.set(i, x.get(i) + length * p.get(i));
        r.set(i, r.get(i) - length * q.get(i));
        own += r.get(i) * r.get(i);
      }
      double next = total(group, own, sums);
      for (int i = first; i < end; i++) {
        p.set(i, r.get(i) + next / error * p.get(i));
      }
      error = next;
      step++;
      group.syncGrid();
    }
    if (group.groupX() == 0) {
      taken.set(0, step);
    }
  }

  /** The sum of the numbers of all workgroups, the same for each. */
  private static double total(Workgroup group, double own, Doubles sums) {
    sums.set(group.groupX(), own);
    group.syncGrid();
    double sum = 0;
    for (int i = 0; i < group.countX(); i++) {
      sum += sums.get(i);
    }
    group.syncGrid(); // all have read the sums, and the next may be written
    return sum;
  }
}
