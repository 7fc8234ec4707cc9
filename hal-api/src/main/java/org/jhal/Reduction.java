package org.jhal;

import java.util.Locale;

/** How a {@link CollectiveGroup} combines the elements of its ranks. */
public enum Reduction {
  /** The sum. That of integers wraps around. */
  SUM,
  /** The product. That of integers wraps around. */
  PRODUCT,
  /** The smallest. Where a NaN or zeros of both signs meet, rule G5 says what holds. */
  MIN,
  /** The largest. Where a NaN or zeros of both signs meet, rule G5 says what holds. */
  MAX,
  /** The sum divided by the number of ranks; not for integers. */
  AVERAGE;

  /** The name in lower case, for messages and tables. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
