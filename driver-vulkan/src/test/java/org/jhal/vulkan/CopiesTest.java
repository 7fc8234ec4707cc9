// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies and fills by the driver's kernel and by the runtime, and transfers without staging. */
@Timeout(120)
class CopiesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TRANSFER = "org.jhal.Transfer";
  private static final int CHUNK = CopyKernels.CHUNK_BYTES;
  private static final int GROUP = CopyKernels.GROUP_CHUNKS * CHUNK;

  /** Around the ends of chunks, of a work item's second chunk, and of one and two workgroups. */
  private static final int[] LONG = {
    256 * CHUNK - 1, 256 * CHUNK + 1, GROUP - 1, GROUP, GROUP + 1, GROUP + 17, 2 * GROUP + 31
  };

  /** What one of many commands does: it writes a range of the target. */
  private record Part(int from, int to, int length) {}

  private static Device open(String copies) {
    return OpenVulkan.open("vulkan://0?queues=1&copies=" + copies);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static void execute(Device device, CommandBuffer commands) throws InterruptedException {
    try (TimelineSemaphore done = device.createSemaphore(0)) {
      device.queue(0).execute(Fence.NONE, done.at(1), commands);
      done.await(1, PATIENCE);
    }
  }

  /** Each length of {@code lengths}, from each place of a chunk to each. */
  private static List<Part> parts(int[] lengths) {
    int[] next = {0};
    return Arrays.stream(lengths)
        .boxed()
        .flatMap(
            length ->
                IntStream.range(0, CHUNK * CHUNK)
                    .mapToObj(
                        each -> {
                          int start = next[0] + each % CHUNK;
                          next[0] = (start + length + 2 * CHUNK) / CHUNK * CHUNK;
                          return new Part(each / CHUNK, start, length);
                        }))
        .toList();
  }

  private static int end(List<Part> parts) {
    Part last = parts.get(parts.size() - 1);
    return last.to + last.length + CHUNK;
  }

  private static void copies(String copies, int[] lengths) throws InterruptedException {
    List<Part> parts = parts(lengths);
    byte[] source = random(Arrays.stream(lengths).max().orElseThrow() + CHUNK);
    byte[] expected = random(end(parts));
    try (Device device = open(copies);
        DeviceBuffer from = device.allocate(source.length, BufferParams.HOST);
        DeviceBuffer to = device.allocate(expected.length, BufferParams.HOST);
        DeviceBuffer.Mapping read = from.map(DeviceBuffer.MapMode.READ_WRITE);
        DeviceBuffer.Mapping written = to.map(DeviceBuffer.MapMode.READ_WRITE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      read.bytes().put(0, source);
      written.bytes().put(0, expected);
      for (Part part : parts) {
        commands.copy(from, part.from, to, part.to, part.length);
        System.arraycopy(source, part.from, expected, part.to, part.length);
      }
      commands.end();
      execute(device, commands);
      expect(expected, written.bytes(), parts);
    }
  }

  private static void expect(byte[] expected, ByteBuffer written, List<Part> parts) {
    for (Part part : parts) { // with what lies around it
      int start = Math.max(0, part.to - CHUNK);
      int end = Math.min(expected.length, part.to + part.length + CHUNK);
      byte[] found = new byte[end - start];
      written.get(start, found);
      assertArrayEquals(Arrays.copyOfRange(expected, start, end), found, part::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"kernel", "runtime"})
  void copiesFromAnyAddressToAnyOther(String copies) throws InterruptedException {
    copies(copies, IntStream.rangeClosed(1, 4 * CHUNK).toArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"kernel", "runtime"})
  void copiesAnyNumberOfChunks(String copies) throws InterruptedException {
    copies(copies, LONG);
  }

  @ParameterizedTest
  @ValueSource(strings = {"kernel", "runtime"})
  void fillsAnyRangeWithAnyPattern(String copies) throws InterruptedException {
    int[] lengths =
        IntStream.concat(IntStream.rangeClosed(1, 4 * CHUNK), Arrays.stream(LONG)).toArray();
    for (int patternBytes : new int[] {1, 2, 4}) {
      List<Part> parts =
          parts(lengths).stream()
              .filter(part -> part.from == 0 && part.to % patternBytes == 0)
              .filter(part -> part.length % patternBytes == 0)
              .toList();
      fills(copies, parts, patternBytes);
    }
  }

  private static void fills(String copies, List<Part> parts, int patternBytes)
      throws InterruptedException {
    byte[] expected = random(end(parts));
    byte[] pattern = {0x12, (byte) 0xF3, 0x45, (byte) 0x86};
    FillPattern fill =
        switch (patternBytes) {
          case 1 -> FillPattern.of8(pattern[0]);
          case 2 -> FillPattern.of16(0xF312);
          default -> FillPattern.of32(0x8645F312);
        };
    try (Device device = open(copies);
        DeviceBuffer to = device.allocate(expected.length, BufferParams.HOST);
        DeviceBuffer.Mapping written = to.map(DeviceBuffer.MapMode.READ_WRITE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      written.bytes().put(0, expected);
      for (Part part : parts) {
        commands.fill(to, part.to, part.length, fill);
        for (int i = 0; i < part.length; i++) {
          expected[part.to + i] = pattern[i % patternBytes];
        }
      }
      commands.end();
      execute(device, commands);
      expect(expected, written.bytes(), parts);
    }
  }

  /** A recording that is kept has the kernel's arguments in it. */
  @Test
  void aReusableCommandBufferCopiesByTheKernel() throws InterruptedException {
    byte[] source = random(1000);
    try (Device device = open("kernel");
        DeviceBuffer from = device.allocate(source.length, BufferParams.HOST);
        DeviceBuffer to = device.allocate(source.length, BufferParams.HOST);
        DeviceBuffer.Mapping read = from.map(DeviceBuffer.MapMode.READ_WRITE);
        DeviceBuffer.Mapping written = to.map(DeviceBuffer.MapMode.READ_WRITE);
        CommandBuffer commands = device.createCommandBuffer(CommandBuffer.Mode.REUSABLE)) {
      commands.copy(from, 3, to, 5, 900);
      commands.end();
      for (int round = 0; round < 5; round++) {
        source[3] = (byte) round;
        read.bytes().put(0, source);
        execute(device, commands);
        byte[] found = new byte[900];
        written.bytes().get(5, found);
        assertArrayEquals(Arrays.copyOfRange(source, 3, 903), found);
      }
    }
  }

  @TempDir private Path folder;

  /** The paths that the transfers of {@code program} took, in order. */
  private List<String> paths(Program program) throws Exception {
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(TRANSFER);
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(TRANSFER))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .map(event -> event.getString("path"))
        .toList();
  }

  /** A part of a test. */
  private interface Program {
    void run() throws Exception;
  }

  /** Memory of a mapped buffer is the device's own, so its bytes are not staged. */
  @ParameterizedTest
  @ValueSource(strings = {"kernel", "runtime"})
  void transfersOfMappedMemoryAreDirect(String copies) throws Exception {
    byte[] data = random(3 << 20);
    try (Device device = open(copies);
        DeviceBuffer target = device.allocate(data.length, BufferParams.DEVICE);
        DeviceBuffer pinned = device.allocate(2L * data.length, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = pinned.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      ByteBuffer bytes = mapping.bytes();
      bytes.put(0, data);
      HostMemory source = HostMemory.of(bytes.slice(0, data.length));
      HostMemory copy = HostMemory.of(bytes.slice(data.length, data.length));
      List<String> paths =
          paths(
              () -> {
                device.queue(0).upload(Fence.NONE, done.at(1), source, target, 0);
                device.queue(0).readback(done.at(1), done.at(2), target, 0, copy);
                done.await(2, PATIENCE);
              });
      byte[] found = new byte[data.length];
      bytes.get(data.length, found);
      assertArrayEquals(data, found);
      assertEquals(List.of("direct", "direct"), paths);
    }
  }

  /** A view outlives its buffer, and what a program has of its own is no memory of a device. */
  @Test
  void onlyMappedMemoryIsDirect() throws Exception {
    byte[] data = random(1 << 10);
    try (Device device = open("kernel");
        DeviceBuffer target = device.allocate(data.length, BufferParams.DEVICE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      ByteBuffer view;
      try (DeviceBuffer pinned = device.allocate(data.length, BufferParams.HOST);
          DeviceBuffer.Mapping mapping = pinned.map(DeviceBuffer.MapMode.READ_WRITE)) {
        view = mapping.bytes();
      }
      view.put(0, data);
      byte[] found = new byte[data.length];
      ByteBuffer own = ByteBuffer.allocateDirect(data.length).put(0, data);
      List<String> paths =
          paths(
              () -> {
                device.queue(0).upload(Fence.NONE, done.at(1), HostMemory.of(view), target, 0);
                device.queue(0).readback(done.at(1), done.at(2), target, 0, HostMemory.of(found));
                done.await(2, PATIENCE);
                device.queue(0).upload(done.at(2), done.at(3), HostMemory.of(own), target, 0);
                done.await(3, PATIENCE);
              });
      assertArrayEquals(data, found);
      assertEquals(List.of("direct", "staged", "staged"), paths);
    }
  }

  /** The source of an upload may lie in the very buffer that it is uploaded to. */
  @ParameterizedTest
  @ValueSource(strings = {"kernel", "runtime"})
  void aBufferIsUploadedToItself(String copies) throws InterruptedException {
    byte[] data = random(1 << 10);
    try (Device device = open(copies);
        DeviceBuffer buffer = device.allocate(2L * data.length, BufferParams.HOST);
        DeviceBuffer.Mapping mapping = buffer.map(DeviceBuffer.MapMode.READ_WRITE);
        TimelineSemaphore done = device.createSemaphore(0)) {
      mapping.bytes().put(0, data);
      HostMemory source = HostMemory.of(mapping.bytes().slice(0, data.length));
      device.queue(0).upload(Fence.NONE, done.at(1), source, buffer, 100);
      done.await(1, PATIENCE);
      byte[] found = new byte[data.length];
      mapping.bytes().get(100, found);
      assertArrayEquals(data, found);
    }
  }
}
