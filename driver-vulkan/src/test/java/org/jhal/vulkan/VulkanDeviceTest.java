// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.jhal.cts.support.TestData.assertHal;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.QueueSteps;
import org.jhal.Sequence;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is this driver's own, on any device with a Vulkan driver. */
@Timeout(120)
class VulkanDeviceTest {
  private static final int KERNEL_CAPABILITY = 6;
  private static final int REOPENS = 1000;

  /** Filling begins and ends between words: at any address, with any length. */
  @ParameterizedTest
  @CsvSource({"0, 64", "1, 64", "2, 63", "3, 1", "1, 2", "3, 5", "2, 3", "1, 7"})
  void fillsMemoryAtAnyAddress(int offset, int length) throws InterruptedException {
    try (Device device = OpenVulkan.open("vulkan")) {
      for (int width = 1; width <= 4; width *= 2) {
        int bytes = length / width * width;
        ByteBuffer memory = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        ByteBuffer part = memory.slice(offset, 96).order(ByteOrder.nativeOrder());
        try (DeviceBuffer buffer =
            device.allocator().importHost(part, BufferParams.HOST, () -> {})) {
          FillPattern pattern =
              switch (width) {
                case 1 -> FillPattern.of8(0x5A);
                case 2 -> FillPattern.of16(0x1234);
                default -> FillPattern.of32(0x89ABCDEF);
              };
          try (Sequence sequence = device.createSequence()) {
            sequence
                .step(
                    (waits, signals) ->
                        device.queue(0).fill(waits, signals, buffer, 0, bytes, pattern))
                .awaitAll();
          }
        }
        byte[] wanted = new byte[128];
        ByteBuffer model = ByteBuffer.wrap(wanted).order(ByteOrder.nativeOrder());
        for (int at = 0; at < bytes; at += width) {
          switch (width) {
            case 1 -> model.put(offset + at, (byte) 0x5A);
            case 2 -> model.putShort(offset + at, (short) 0x1234);
            default -> model.putInt(offset + at, 0x89ABCDEF);
          }
        }
        byte[] found = new byte[128];
        memory.get(0, found);
        assertArrayEquals(wanted, found, "patterns of " + width + " bytes");
      }
    }
  }

  /** Arguments that push constants do not hold come by their address. */
  @Test
  void passesManyArguments() throws InterruptedException {
    ExecutableSource wide = ExecutableSource.ofResources(VulkanDeviceTest.class, "wide");
    int[] numbers = IntStream.range(0, 40).map(i -> 100 - i).toArray();
    int[] sum = new int[1];
    try (Device device = OpenVulkan.open("vulkan");
        Executable kernels = device.loadExecutable(wide);
        Sequence sequence = device.createSequence()) {
      Kernel weigh = kernels.kernel("weigh");
      QueueSteps steps = sequence.on(device.queue(0));
      DeviceBuffer result = steps.allocate(ElementType.I32, 1);
      Object[] all = IntStream.of(numbers).boxed().toArray();
      Object struct = Objects.requireNonNull(weigh.parameters().get(1).struct()).value(all);
      steps.dispatch(weigh, Workgroups.of(1), Args.of(result, struct));
      steps.readback(result, HostMemory.of(sum)).awaitAll();
    }
    assertEquals(IntStream.range(0, 40).map(i -> (i + 1) * numbers[i]).sum(), sum[0]);
  }

  @Test
  void refusesCapabilitiesThatTheDeviceLacksByName(@TempDir Path folder) throws IOException {
    byte[] code = SpirvModuleTest.kernels();
    ByteBuffer.wrap(code)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(6 * Integer.BYTES, KERNEL_CAPABILITY);
    Files.write(folder.resolve("kernels.spv"), code);
    Files.write(
        folder.resolve("manifest.json"),
        Objects.requireNonNull(VulkanDeviceTest.class.getResourceAsStream("kernels/manifest.json"))
            .readAllBytes());
    try (Device device = OpenVulkan.open("vulkan")) {
      assertHal(
          Status.UNIMPLEMENTED,
          () -> device.loadExecutable(ExecutableSource.of(folder)),
          "Kernel (6)",
          device.info().name());
    }
  }

  @Test
  void isFoundByItsUuid() {
    DeviceInfo first = OpenVulkan.driver().devices(DeviceUri.parse("vulkan")).get(0);
    try (Device device = OpenVulkan.open("vulkan://" + first.uuid())) {
      assertEquals(first.uuid(), device.info().uuid());
    }
  }

  /** The same VkDevice serves devices that are open together; otherwise each gets a new one. */
  @Test
  void opensAThousandTimes() throws InterruptedException {
    for (int i = 0; i < REOPENS; i++) {
      try (Device device = OpenVulkan.open("vulkan://0?queues=1")) {
        float[] numbers = {i, i + 1};
        float[] read = new float[2];
        try (DeviceBuffer buffer = device.allocate(8, BufferParams.DEVICE)) {
          device.queue(0).blocking().write(HostMemory.of(numbers), buffer);
          device.queue(0).blocking().read(buffer, HostMemory.of(read));
        }
        assertArrayEquals(numbers, read);
      }
    }
  }
}
