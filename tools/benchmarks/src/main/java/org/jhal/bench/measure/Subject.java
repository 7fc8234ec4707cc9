// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

/** Something that can be measured: JHAL, or a baseline that does similar work without it. */
public interface Subject extends AutoCloseable {
  /** The name of JHAL's side in reports. */
  String JHAL = "JHAL";

  /** Its name in reports. */
  String name();

  /**
   * Creates the objects that samples need; called once, before the first sample.
   *
   * @throws NotAvailableException if it cannot be measured here, which is no failure
   */
  default void prepare() throws Exception {}

  /**
   * Takes one sample.
   *
   * @return a number for each metric of the case, in its unit; NaN where it cannot be measured here
   */
  double[] sample() throws Exception;

  /** Ends its threads. */
  @Override
  default void close() {}
}
