// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.text;

import java.util.Locale;

/** Formats numbers for people. */
public final class Units {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Units() {}

  /** Such as {@code 1.5 GiB}. */
  public static String bytes(long bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < BINARY.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, BINARY[unit]);
  }

  /** Such as {@code 12.3 us}, {@code 4.56 ms} or {@code 1.20 s}. */
  public static String nanos(long nanos) {
    if (nanos < 1_000_000) {
      return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }
    return nanos < 1_000_000_000
        ? String.format(Locale.ROOT, "%.2f ms", nanos / 1e6)
        : String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
  }
}
