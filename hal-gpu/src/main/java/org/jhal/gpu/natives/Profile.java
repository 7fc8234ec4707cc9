// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.List;
import java.util.Locale;
import org.jhal.driver.options.Option;

/** When to measure the times of operations on the device. */
public enum Profile {
  /** While they are recorded. */
  AUTO,
  /** Always, so that a recording also has the times of work issued before it began. */
  ON,
  /** Never. */
  OFF;

  public static final Option<String> OPTION =
      Option.choice(
          "profile",
          "auto",
          List.of("auto", "on", "off"),
          "whether times on the device are measured: auto does while org.jhal.Execution is"
              + " recorded");

  public static Profile of(String value) {
    return valueOf(value.toUpperCase(Locale.ROOT));
  }

  public boolean measures(boolean isRecorded) {
    return this == ON || (this == AUTO && isRecorded);
  }
}
