// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.Device;
import org.jhal.DriverRegistry;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** How the default device is selected, and what is logged about it. */
class DefaultDeviceTest {
  @Test
  void logsTheSelectedDevice() {
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(DriverRegistry.class.getName());
    logger.addHandler(handler);
    try (Device device = DriverRegistry.load().openDefaultDevice()) {
      assertEquals("mock-0", device.toString());
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(List.of("INFO the default device is mock-0"), lines);
  }

  @Test
  void refusesADriverThatComputesOnTheHostAsAnAccelerator() {
    HalException none = Assertions.assertThrows(HalException.class, Hal::openAccelerator);
    assertEquals(Status.NOT_FOUND, none.status());
    assertEquals(
        "no usable device; mock: it computes on the host, and an accelerator is wanted",
        none.getMessage());
  }
}
