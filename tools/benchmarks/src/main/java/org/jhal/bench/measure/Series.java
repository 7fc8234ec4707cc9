// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.List;

/**
 * Subjects that are measured side by side.
 *
 * @param label distinguishes it from the other series of its case: a number of submissions, or a
 *     kind
 * @param jhal the side that is measured
 * @param baselines what it is compared with
 * @param aims limits of its numbers
 */
public record Series(String label, Subject jhal, List<Subject> baselines, List<Aim> aims)
    implements AutoCloseable {
  /** A series without aims. */
  public Series(String label, Subject jhal, List<Subject> baselines) {
    this(label, jhal, baselines, List.of());
  }

  @Override
  public void close() {
    jhal.close();
    baselines.forEach(Subject::close);
  }
}
