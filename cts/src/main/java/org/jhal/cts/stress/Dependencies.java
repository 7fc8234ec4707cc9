// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.stress;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Fence;
import org.jhal.Timepoint;

/**
 * Computes the timepoints that each step of a random program must wait for, from those of the steps
 * before it. A step reads one cell and writes another one.
 */
final class Dependencies {
  private final List<List<Timepoint>> readers = new ArrayList<>(); // since the last writer, by cell
  private final List<List<Timepoint>> writers = new ArrayList<>(); // at most one, by cell

  Dependencies(int cells) {
    for (int i = 0; i < cells; i++) {
      readers.add(new ArrayList<>());
      writers.add(new ArrayList<>());
    }
  }

  /** Adds a step, which signals {@code done}, and returns its waits. */
  Fence add(int from, int to, Timepoint done) {
    List<Timepoint> needed = new ArrayList<>(writers.get(from));
    needed.addAll(writers.get(to));
    needed.addAll(readers.get(to));
    readers.get(from).add(done);
    readers.set(to, new ArrayList<>());
    writers.set(to, new ArrayList<>(List.of(done)));
    return Fence.of(needed);
  }
}
