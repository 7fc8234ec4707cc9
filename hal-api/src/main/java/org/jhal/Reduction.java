// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.Locale;

/** The way in which a {@link CollectiveGroup} combines the elements of its ranks. */
public enum Reduction {
  /** The sum. Sums of integers wrap around. */
  SUM,
  /** The product. Products of integers wrap around. */
  PRODUCT,
  /** The smallest element. Rule G5 defines the result for a NaN and for zeros of both signs. */
  MIN,
  /** The largest element. Rule G5 defines the result for a NaN and for zeros of both signs. */
  MAX,
  /** The sum divided by the number of ranks. Not for integers. */
  AVERAGE;

  /** Returns the name in lower case, for messages and tables. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
