package org.jhal.bench;

import java.util.List;

/**
 * One thing to measure.
 *
 * @param name what {@code --case} selects
 * @param description one line for people
 * @param unit of all metrics
 * @param metrics what a sample tells, in its order
 * @param scales whether its series do the same for growing numbers, so that each is compared with
 *     the first as well
 * @param maker makes the series, ready to be measured
 */
record BenchCase(
    String name,
    String description,
    String unit,
    List<String> metrics,
    boolean scales,
    Maker maker) {
  /** Makes the series of a case. */
  interface Maker {
    /** Series on the device of {@code bench}, of the sizes that it allows. */
    List<Series> make(Bench bench) throws Exception;
  }
}
