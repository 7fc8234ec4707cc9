// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One VkDevice for all that open the same hardware. */
@Timeout(60)
class LogicalDeviceTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 20;
  private static final long DEADLINE_SECONDS = 30;

  @Test
  void threadsThatOpenAtTheSameTimeShareADevice() throws Exception {
    var unused = OpenVulkan.driver();
    PhysicalDevice physical = VulkanInstance.get(false).devices().require().usable().get(0);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<LogicalDevice>> opens = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          opens.add(
              threads.submit(
                  () -> {
                    start.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
                    return LogicalDevice.open(physical, null);
                  }));
        }
        List<LogicalDevice> opened = new ArrayList<>();
        for (Future<LogicalDevice> open : opens) {
          opened.add(open.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
        }
        assertEquals(1, new HashSet<>(opened).size(), opened::toString);
        opened.forEach(LogicalDevice::release);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
