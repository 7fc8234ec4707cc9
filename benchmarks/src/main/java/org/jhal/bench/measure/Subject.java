package org.jhal.bench.measure;

/** Something that can be measured: JHAL, or a peer that does the like without it. */
public interface Subject extends AutoCloseable {
  /** How reports call the side of every row that is measured. */
  String JHAL = "JHAL";

  /** How reports call it. */
  String name();

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
