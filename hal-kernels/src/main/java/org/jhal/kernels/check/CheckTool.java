// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * What {@code hal check} needs of the drivers: a device that reports what is wrong with kernels.
 *
 * <p>Thread-safe.
 */
public final class CheckTool {
  private CheckTool() {}

  /**
   * The name of a device that checks kernels, and collects what it finds for {@link #take}.
   *
   * @param device the name of a device, whose other options stay
   * @param drivers those that have the option {@code check}
   * @param checks as the option {@code check} has them
   * @throws HalException INVALID_ARGUMENT if the name is malformed, or of a device of another
   *     driver, or if there is no such check
   */
  public static String device(String device, List<String> drivers, String checks) {
    DeviceUri uri = DeviceUri.parse(device);
    if (!drivers.contains(uri.driver())) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "kernels are checked on %s, and not on '%s'"
              .formatted(String.join(" and ", drivers), device));
    }
    KernelChecks.parse(checks);
    Map<String, String> options = new LinkedHashMap<>(uri.options());
    options.put("check", checks);
    options.put("check-mode", "report");
    return new DeviceUri(uri.driver(), uri.selector(), options).toString();
  }

  /** What the devices of this process have found since the last call, in the order of time. */
  public static List<CheckReport> take() {
    return KernelChecks.takeReported();
  }
}
