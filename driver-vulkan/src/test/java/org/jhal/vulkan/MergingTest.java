// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceInfo;
import org.jhal.DeviceQueue;
import org.jhal.DeviceUri;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Slot;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.DeviceBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations that are ready together become one submission. */
@Timeout(120)
class MergingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int WORD = Integer.BYTES;

  /** What is called before each command is recorded, with its number from 1 on. */
  private interface BeforeCommand {
    void recorded(int number, Recording recording);
  }

  private final List<Work> submitted = new CopyOnWriteArrayList<>();
  private volatile BeforeCommand before = (number, recording) -> {};
  private final AtomicReference<@Nullable LogicalDevice> used = new AtomicReference<>();

  /** Opens a device, and notes what it submits. */
  private Device open(String uri) {
    VulkanDriver usable = OpenVulkan.driver();
    DeviceInfo first = usable.devices(DeviceUri.parse("vulkan")).get(0);
    VulkanDriver driver =
        new VulkanDriver() {
          @Override
          DeviceBackend<VulkanEvent> backend(
              LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
            used.set(logical);
            LogicalDevice.Submitter next = logical.submitter();
            logical.setSubmitter(
                work -> {
                  submitted.add(work);
                  next.submit(work);
                });
            return new Observed(logical, info, config);
          }
        };
    return driver.open(DeviceUri.parse(first.uri() + uri));
  }

  private final class Observed extends VulkanDevice {
    Observed(LogicalDevice logical, DeviceInfo info, VulkanDevice.Config config) {
      super(logical, info, config);
    }

    @Override
    VulkanStream makeStream() {
      AtomicInteger commands = new AtomicInteger();
      return new VulkanStream(this, ring()) {
        @Override
        void beforeCommand() {
          before.recorded(commands.incrementAndGet(), commands().recording());
        }
      };
    }
  }

  private LogicalDevice logical() {
    return Objects.requireNonNull(used.get());
  }

  private static FillPattern word(int value) {
    return FillPattern.of32(value);
  }

  /** Nobody who waits for an early operation of a submission waits for later ones (rule Q9). */
  @Test
  void theEndOfAnEarlyOperationIsSeenWhileALaterOneWaits() throws InterruptedException {
    try (Device device = open("?queues=1");
        HostGate gate = new HostGate(logical());
        DeviceBuffer buffer = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore start = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      before =
          (number, recording) -> {
            if (number == 2) {
              gate.record(recording);
            }
          };
      DeviceQueue queue = device.queue(0);
      try {
        queue.fill(start.at(1), done.at(1), buffer, 0, WORD, word(11));
        queue.fill(done.at(1), done.at(2), buffer, WORD, WORD, word(22));
        submitted.clear();
        start.signal(1);
        done.await(1, PATIENCE);
        assertEquals(11, mapping.bytes().getInt(0));
        assertEquals(0, mapping.bytes().getInt(WORD));
        assertEquals(1, done.value());
        assertEquals(1, submitted.size(), submitted::toString);
      } finally {
        gate.open();
      }
      done.await(2, PATIENCE);
      assertEquals(22, mapping.bytes().getInt(WORD));
      assertEquals(1, submitted.size(), submitted::toString);
    }
  }

  /** A thread that sleeps in the runtime, as with {@code spin=0}, sees the end as well. */
  @Test
  void aSleepingThreadSeesTheEndOfAnEarlyOperation() throws InterruptedException {
    try (Device device = open("?queues=1&spin=0ns&completion-spin=0ns");
        HostGate gate = new HostGate(logical());
        DeviceBuffer buffer = device.allocate(64, BufferParams.DEVICE);
        TimelineSemaphore start = device.createSemaphore(0);
        TimelineSemaphore done = device.createSemaphore(0)) {
      before =
          (number, recording) -> {
            if (number == 3) {
              gate.record(recording);
            }
          };
      DeviceQueue queue = device.queue(0);
      try {
        queue.fill(start.at(1), done.at(1), buffer, 0, WORD, word(1));
        queue.fill(done.at(1), done.at(2), buffer, 0, WORD, word(2));
        queue.fill(done.at(2), done.at(3), buffer, 0, WORD, word(3));
        start.signal(1);
        done.await(2, PATIENCE);
        assertEquals(2, done.value());
      } finally {
        gate.open();
      }
      done.await(3, PATIENCE);
    }
  }

  @Test
  void aChainIsSubmittedInFewPieces() throws InterruptedException {
    int steps = 1000;
    try (Device device = open("?queues=1");
        DeviceBuffer buffer = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      DeviceQueue queue = device.queue(0);
      for (int i = 1; i <= steps; i++) {
        queue.fill(done.at(i), done.at(i + 1), buffer, 0, WORD, word(i));
      }
      submitted.clear();
      done.signal(1);
      done.await(steps + 1, PATIENCE);
      assertEquals(steps, mapping.bytes().getInt(0));
      assertTrue(submitted.size() < steps / 5, () -> submitted.size() + " submissions");
    }
  }

  /** Work of queues in turn cannot be merged: each operation waits for the other queue. */
  @Test
  void operationsOfTwoQueuesInTurnDoNotWaitForEachOther() throws InterruptedException {
    int steps = 200;
    try (Device device = open("?queues=2");
        DeviceBuffer buffer = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      for (int i = 1; i <= steps; i++) {
        device.queue(i % 2).fill(done.at(i), done.at(i + 1), buffer, 0, WORD, word(i));
      }
      done.signal(1);
      done.await(steps + 1, PATIENCE);
      assertEquals(steps, mapping.bytes().getInt(0));
    }
  }

  /**
   * One command buffer that needs more staging memory than the stream has is submitted in parts.
   */
  @Test
  void stagesMoreThanItsStagingMemory() throws InterruptedException {
    int count = 100;
    int bytes = 64 << 10;
    try (Device device = open("?queues=1");
        DeviceBuffer buffer = device.allocate((long) count * bytes, BufferParams.DEVICE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
        TimelineSemaphore done = device.createSemaphore(0)) {
      ByteBuffer source = ByteBuffer.allocate(bytes);
      for (int i = 0; i < count; i++) {
        Arrays.fill(source.array(), (byte) (i + 1));
        commands.update(source.rewind(), buffer, (long) i * bytes);
      }
      commands.end();
      byte[] read = new byte[count * bytes];
      device.queue(0).execute(Fence.NONE, done.at(1), commands);
      device.queue(0).readback(done.at(1), done.at(2), buffer, 0, HostMemory.of(read));
      done.await(2, PATIENCE);
      for (int i = 0; i < read.length; i++) {
        assertEquals((byte) (i / bytes + 1), read[i], i);
      }
    }
  }

  /** What was recorded for some buffers runs again, each time with what is in memory by then. */
  @Test
  void aCommandBufferIsRecordedOnceForTheSameBuffers() throws InterruptedException {
    AtomicInteger recorded = new AtomicInteger();
    before = (number, recording) -> recorded.incrementAndGet();
    try (Device device = open("?queues=1");
        DeviceBuffer source = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping from = source.map(DeviceBuffer.MapMode.READ_WRITE);
        DeviceBuffer first = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping one = first.map(DeviceBuffer.MapMode.READ_WRITE);
        DeviceBuffer second = device.allocate(64, BufferParams.HOST);
        DeviceBuffer.Mapping two = second.map(DeviceBuffer.MapMode.READ_WRITE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.copy(source, 0, Slot.of(0), 0, WORD);
      commands.barrier();
      commands.update(ByteBuffer.wrap(new byte[] {7, 7, 7, 7}), Slot.of(0), WORD);
      commands.fill(Slot.of(0), 2 * WORD + 1, 2, FillPattern.of8(9));
      commands.end();
      int rounds = 10;
      for (int round = 1; round <= rounds; round++) {
        for (boolean isFirst : new boolean[] {true, true, false, false}) {
          DeviceBuffer.Mapping to = isFirst ? one : two;
          from.bytes().putInt(0, round);
          for (int i = 0; i < 64; i++) {
            to.bytes().put(i, (byte) 0);
          }
          try (TimelineSemaphore done = device.createSemaphore(0)) {
            device
                .queue(0)
                .execute(
                    Fence.NONE, done.at(1), commands, BindingTable.of(isFirst ? first : second));
            done.await(1, PATIENCE);
          }
          assertEquals(round, to.bytes().getInt(0));
          assertEquals(0x07070707, to.bytes().getInt(WORD));
          assertEquals(0, to.bytes().get(2 * WORD));
          assertEquals(9, to.bytes().get(2 * WORD + 1));
          assertEquals(9, to.bytes().get(2 * WORD + 2));
          assertEquals(0, to.bytes().get(2 * WORD + 3));
        }
      }
      assertEquals(3 * 4, recorded.get()); // at first, and once for each table
    }
  }
}
