// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.NativeCode;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.driver.DeviceBackend;
import org.jhal.gpu.natives.NativeBinding;
import org.jhal.vulkan.jna.VulkanApi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Results of native functions that no device gives on request. */
@Timeout(60)
class LossTest {
  private static final int DEVICE_LOST = -4;
  private static final int OUT_OF_DEVICE_MEMORY = -2;

  /** Calls the functions of the loader, except the next calls of one of them, which fail. */
  private static final class Failing implements NativeBinding {
    private final AtomicReference<@Nullable String> function = new AtomicReference<>();
    private final AtomicInteger result = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger(); // calls that fail
    private final AtomicInteger failed = new AtomicInteger();

    void failNext(String name, int code) {
      failNext(name, code, 1);
    }

    void failNext(String name, int code, int times) {
      result.set(code);
      function.set(name);
      left.set(times);
    }

    @Override
    public @Nullable String obstacle() {
      return null;
    }

    @Override
    public <T> T bind(
        MethodHandles.Lookup lookup, Class<T> table, ToLongFunction<String> addresses) {
      Object real = VulkanApi.API.calls(null);
      return table.cast(
          Proxy.newProxyInstance(
              table.getClassLoader(),
              new Class<?>[] {table},
              (proxy, method, arguments) -> {
                if (method.getName().equals(function.get()) && left.getAndDecrement() > 0) {
                  failed.incrementAndGet();
                  return result.get();
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }
  }

  private final Failing binding = new Failing();
  private final AtomicReference<@Nullable LogicalDevice> used = new AtomicReference<>();

  private Device open() {
    VulkanDriver usable = OpenVulkan.driver();
    DeviceInfo first = usable.devices(DeviceUri.parse("vulkan")).get(0);
    VulkanDriver driver =
        new VulkanDriver() {
          @Override
          DeviceBackend<VulkanEvent> backend(
              LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
            LogicalDevice other = LogicalDevice.open(logical.physical(), binding);
            logical.release();
            used.set(other);
            return new VulkanDevice(other, info, config);
          }
        };
    return driver.open(DeviceUri.parse(first.uri()));
  }

  @Test
  void aLostDeviceFailsItsWorkAndCanBeOpenedAgain() throws InterruptedException {
    Device device = open();
    LogicalDevice lost = used.get();
    DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
    device.queue(0).blocking().fill(buffer, FillPattern.of(1));
    try (Sequence sequence = device.createSequence()) {
      binding.failNext("queueSubmit", DEVICE_LOST);
      Timepoint filled = sequence.on(device.queue(0)).fill(buffer, FillPattern.of(2));
      HalException failure =
          assertThrows(HalException.class, () -> filled.awaitAll(Duration.ofSeconds(20)));
      assertEquals(Status.UNAVAILABLE, failure.status());
      assertEquals(new NativeCode(DEVICE_LOST, "VK_ERROR_DEVICE_LOST"), failure.nativeCode());
    }
    assertHal(
        Status.UNAVAILABLE,
        () -> device.allocate(64, BufferParams.DEVICE).close(),
        "VK_ERROR_DEVICE_LOST");
    buffer.close();
    device.close();
    try (Device again = open()) {
      assertNotSame(lost, used.get());
      checkWorks(again);
    }
  }

  @Test
  void aRefusedSubmissionFailsItsOperationAlone() throws InterruptedException {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE)) {
      try (Sequence sequence = device.createSequence()) {
        binding.failNext("queueSubmit", OUT_OF_DEVICE_MEMORY);
        Timepoint filled = sequence.on(device.queue(0)).fill(buffer, FillPattern.of(2));
        HalException failure =
            assertThrows(HalException.class, () -> filled.awaitAll(Duration.ofSeconds(20)));
        assertEquals(Status.RESOURCE_EXHAUSTED, failure.status());
      }
      assertEquals(1, binding.failed.get());
      checkWorks(device);
    }
  }

  /** Operations of one submission fail with it, and what waits for them; others do not. */
  @Test
  void aRefusedSubmissionFailsAllItsOperations() throws InterruptedException {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore start = device.createSemaphore(0);
        TimelineSemaphore first = device.createSemaphore(0);
        TimelineSemaphore second = device.createSemaphore(0);
        TimelineSemaphore behind = device.createSemaphore(0)) {
      DeviceQueue queue = device.queue(0);
      queue.fill(start.at(1), first.at(1), buffer, 0, 4, FillPattern.of32(1));
      queue.fill(first.at(1), second.at(1), buffer, 0, 4, FillPattern.of32(2));
      device.queue(1).barrier(second.at(1), behind.at(1));
      binding.failNext("queueSubmit", OUT_OF_DEVICE_MEMORY);
      start.signal(1);
      for (TimelineSemaphore semaphore : List.of(first, second, behind)) {
        HalException failure =
            assertThrows(HalException.class, () -> semaphore.await(1, Duration.ofSeconds(20)));
        assertEquals(Status.RESOURCE_EXHAUSTED, failure.status());
      }
      assertEquals(1, binding.failed.get());
      checkWorks(device);
    }
  }

  /** If the ends of operations cannot be submitted either, nobody would learn of them. */
  @Test
  void aSecondRefusalLosesTheDevice() throws InterruptedException {
    try (Device device = open();
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        Sequence sequence = device.createSequence()) {
      binding.failNext("queueSubmit", OUT_OF_DEVICE_MEMORY, 2);
      Timepoint filled = sequence.on(device.queue(0)).fill(buffer, FillPattern.of(2));
      assertThrows(HalException.class, () -> filled.awaitAll(Duration.ofSeconds(20)));
      assertEquals(2, binding.failed.get());
      assertHal(
          Status.UNAVAILABLE,
          () -> device.queue(0).blocking().fill(buffer, FillPattern.of(3)),
          "VK_ERROR_OUT_OF_DEVICE_MEMORY");
    }
  }

  @Test
  void devicesOnTheSameHardwareShareADevice() {
    try (Device one = open()) {
      LogicalDevice first = used.get();
      try (Device other = open()) {
        assertSame(first, used.get());
        assertEquals(one.info(), other.info());
      }
    }
  }

  private static void checkWorks(Device device) throws InterruptedException {
    float[] read = new float[2];
    try (DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE)) {
      device.queue(0).blocking().write(HostMemory.of(new float[] {1, 2}), buffer);
      device.queue(0).blocking().read(buffer, HostMemory.of(read));
    }
    assertArrayEquals(new float[] {1, 2}, read);
  }
}
