package org.jhal.bench.measure;

/** Something that can be measured: JHAL, or a baseline that does the like without it. */
public interface Subject extends AutoCloseable {
  /** How reports call the side of every row that is measured. */
  String JHAL = "JHAL";

  /** How reports call it. */
  String name();

  /**
   * Makes what samples need; called once, before the first.
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
