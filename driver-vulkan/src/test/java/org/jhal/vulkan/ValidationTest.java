// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.engine.EngineDevice;
import org.jhal.vulkan.jna.Structs;
import org.jhal.vulkan.jna.VulkanConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The option {@code validation}: wrong calls are logged, and what the driver does is not. */
@Timeout(60)
class ValidationTest {
  private static final class Log extends Handler {
    final List<String> messages = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord entry) {
      if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
        messages.add(entry.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static Device open() {
    var unused = OpenVulkan.driver();
    try {
      return OpenVulkan.open("vulkan://0?validation=on");
    } catch (HalException e) {
      assumeTrue(false, e.getMessage());
      throw e;
    }
  }

  @Test
  void logsAWrongCallAndNoRightOne() throws InterruptedException {
    Logger logger = Logger.getLogger(ValidationMessages.LOGGER);
    Log log = new Log();
    logger.addHandler(log);
    logger.setUseParentHandlers(false);
    try (Device device = open()) {
      try (DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
        device.queue(0).blocking().fill(buffer, FillPattern.of(7));
      }
      assertEquals(List.of(), log.messages);
      createBufferOfNoBytes(((VulkanDevice) ((EngineDevice<?>) device).backend()).logical());
      assertTrue(
          log.messages.stream().anyMatch(text -> text.contains("VUID-VkBufferCreateInfo-size")),
          log.messages::toString);
    } finally {
      logger.setUseParentHandlers(true);
      logger.removeHandler(log);
    }
  }

  private static void createBufferOfNoBytes(LogicalDevice device) {
    try (Structs structs = new Structs()) {
      Structs.Struct info =
          structs
              .typed(VulkanConstants.VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, 0, 56)
              .int32(0)
              .int64(0)
              .int32(VulkanConstants.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
      long[] buffer = new long[1];
      int code = LogicalDevice.setup().createBuffer(device.handle(), info.address(), 0, buffer);
      if (code == VulkanConstants.VK_SUCCESS) {
        LogicalDevice.setup().destroyBuffer(device.handle(), buffer[0], 0);
      }
    }
  }
}
