// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * Durations as messages show them.
 *
 * <p>Any thread may use it.
 */
public final class DurationText {
  private DurationText() {}

  /** In seconds, with as many digits as needed: {@code 60 s}, {@code 0.25 s}. */
  public static String of(Duration duration) {
    BigDecimal seconds =
        BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
    return seconds.stripTrailingZeros().toPlainString() + " s";
  }
}
