// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import java.util.List;
import org.jhal.Device;
import org.jspecify.annotations.Nullable;

/**
 * One thing to measure.
 *
 * @param name what {@code --case} selects
 * @param description one line for people
 * @param unit of all metrics that do not name their own
 * @param metrics the metrics of a sample, in its order; of the first, less is better
 * @param scales whether its series do the same for growing numbers, so that each is compared with
 *     the first as well
 * @param driver whose devices it is for, or null if it is for all
 * @param needsTwo whether it needs two devices of one driver; without a second one, its series say
 *     so
 * @param maker makes the series, ready to be measured
 */
public record BenchCase(
    String name,
    String description,
    String unit,
    List<String> metrics,
    boolean scales,
    @Nullable String driver,
    boolean needsTwo,
    Maker maker) {
  /** Makes the series of a case. */
  public interface Maker {
    /** Series on the device of {@code bench}, of the sizes that it allows. */
    List<Series> make(Bench bench) throws Exception;
  }

  /** A case for one device. */
  public BenchCase(
      String name,
      String description,
      String unit,
      List<String> metrics,
      boolean scales,
      @Nullable String driver,
      Maker maker) {
    this(name, description, unit, metrics, scales, driver, false, maker);
  }

  /** A case for one device, of any driver. */
  public BenchCase(
      String name,
      String description,
      String unit,
      List<String> metrics,
      boolean scales,
      Maker maker) {
    this(name, description, unit, metrics, scales, null, maker);
  }

  /** The same case, for two devices of one driver. */
  public BenchCase forTwo() {
    return new BenchCase(name, description, unit, metrics, scales, driver, true, maker);
  }

  /** Whether it can be measured on {@code device}. */
  public boolean fits(Device device) {
    return driver == null || driver.equals(device.info().driver());
  }
}
