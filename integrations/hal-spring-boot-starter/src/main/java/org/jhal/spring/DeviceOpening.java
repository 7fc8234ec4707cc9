// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Opens the device that the properties describe. */
final class DeviceOpening {
  /** The device cannot be opened; {@link DeviceFailureAnalyzer} explains it. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final HalException failure;

    FailedException(@Nullable String uri, HalException failure) {
      super(
          (uri == null ? "no device can be opened: " : "device '" + uri + "' cannot be opened: ")
              + failure.status()
              + ": "
              + failure.getMessage(),
          failure);
      this.failure = failure;
    }
  }

  private DeviceOpening() {}

  static Device open(JhalProperties properties) {
    String uri = properties.device();
    if (uri != null && uri.isBlank()) {
      uri = null;
    }
    try {
      if (properties.closeTimeout() != null) {
        return Hal.openDevice(withCloseTimeout(uri, properties.closeTimeout()));
      }
      return uri == null ? Hal.openDevice() : Hal.openDevice(uri);
    } catch (HalException e) {
      throw new FailedException(uri, e);
    }
  }

  /** Adds the setting to the options of the URI. */
  private static String withCloseTimeout(@Nullable String uri, Duration timeout) {
    if (uri == null || uri.startsWith("!")) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          JhalProperties.CLOSE_TIMEOUT
              + " is a setting of one driver, so "
              + JhalProperties.DEVICE
              + " must name the driver");
    }
    DeviceUri parsed = DeviceUri.parse(uri);
    Map<String, String> options = new LinkedHashMap<>(parsed.options());
    if (options.putIfAbsent("close-timeout", timeout.toMillis() + "ms") != null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "both " + JhalProperties.CLOSE_TIMEOUT + " and the URI set the close-timeout");
    }
    return new DeviceUri(parsed.driver(), parsed.selector(), options).toString();
  }
}
