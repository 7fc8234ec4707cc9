// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import java.util.List;
import org.jhal.HalException;
import org.jhal.kernels.check.KernelChecks;
import org.jspecify.annotations.Nullable;

/** The options {@code check} and {@code check-mode}, for drivers that check kernels. */
public final class CheckOption {
  private static final String OFF = "off";
  private static final String FAIL = "fail";

  /** What is checked; a driver adds it to the options of its devices. */
  public static final Option<String> CHECK =
      Option.text(
          "check",
          OFF,
          "what is checked while kernels run: all, or some of memory, races, barriers and values,"
              + " separated by commas; or off");

  /** What happens to findings; a driver adds it, too. */
  public static final Option<String> MODE =
      Option.choice(
          "check-mode",
          FAIL,
          List.of(FAIL, "report"),
          "whether what check finds fails the operation");

  private CheckOption() {}

  /**
   * What the settings of a device say; null if nothing is checked.
   *
   * @param settings have {@link #CHECK} and {@link #MODE}
   * @throws HalException INVALID_ARGUMENT if there is no such check
   */
  public static @Nullable KernelChecks checks(Settings settings) {
    String checks = settings.get(CHECK);
    return checks.equals(OFF) ? null : new KernelChecks(checks, settings.get(MODE).equals(FAIL));
  }
}
