// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jhal.Args;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.kernel.Workgroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The exact messages about work with the memory of another device. */
@Timeout(60)
class PeerMessagesTest {
  private static final Driver DRIVER = new MockDriver("mock");

  private static Device open(int index, String options) {
    return DRIVER.open(DeviceUri.parse("mock://" + index + "?devices=2" + options));
  }

  private static void assertSays(
      String expected, org.junit.jupiter.api.function.Executable refused) {
    assertEquals(expected, assertThrows(HalException.class, refused).getMessage());
  }

  @Test
  void importingMemoryThatIsNotSharedNamesTheOption() {
    try (Device shared = open(0, "");
        Device alone = open(1, "&peers=none");
        Device events = open(1, "&peers=events");
        DeviceBuffer buffer = shared.allocate(64, BufferParams.DEVICE);
        DeviceBuffer other = events.allocate(64, BufferParams.DEVICE)) {
      assertSays(
          "mock-1 cannot use the memory of buffer of 64 bytes of mock-0: mock-1 was opened with"
              + " peers=none; memory is shared with peers=memory only",
          () -> alone.allocator().importPeer(buffer));
      assertSays(
          "mock-0 cannot use the memory of buffer of 64 bytes of mock-1: mock-1 was opened with"
              + " peers=events; memory is shared with peers=memory only",
          () -> shared.allocator().importPeer(other));
      assertSays(
          "target: buffer of 64 bytes of mock-0 belongs to another device, not mock-1; copy it",
          () -> fill(alone, buffer));
    }
  }

  private static void fill(Device device, DeviceBuffer buffer) {
    device.queue(0).fill(Fence.NONE, Fence.NONE, buffer, 0, 64, FillPattern.ZERO);
  }

  @Test
  void usingAnotherDevicesBufferSuggestsAnImportOrACopy() {
    try (Device one = open(0, "");
        Device two = open(1, "");
        DeviceBuffer buffer = one.allocate(64, BufferParams.DEVICE);
        DeviceBuffer own = two.allocate(64, BufferParams.DEVICE);
        DeviceBuffer imported = two.allocator().importPeer(buffer);
        DeviceBuffer host = one.allocate(64, BufferParams.HOST);
        CommandBuffer commands = two.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT);
        CommandBuffer theirs = one.createCommandBuffer(CommandBuffer.Mode.ONE_SHOT)) {
      theirs.end();
      assertEquals("buffer of 64 bytes of mock-1, over memory of mock-0", imported.toString());
      assertEquals(
          "slice of 16 bytes of mock-1, over memory of mock-0", imported.slice(0, 16).toString());
      assertSays(
          "target: buffer of 64 bytes of mock-0 belongs to another device, not mock-1; importPeer"
              + " makes it usable there",
          () -> fill(two, buffer));
      assertSays(
          "target: buffer of 64 bytes of mock-0 belongs to another device, not mock-1; copy it",
          () -> fill(two, host));
      assertSays(
          "mock-1 cannot use the memory of buffer of 64 bytes of mock-0: it is HOST memory; only"
              + " DEVICE memory can be used by another device",
          () -> two.allocator().importPeer(host));
      assertSays(
          "source: buffer of 64 bytes of mock-0 belongs to another device, not mock-1; a command"
              + " buffer cannot copy between devices, a queue can",
          () -> commands.copy(buffer, 0, own, 0, 64));
      assertSays(
          "target: buffer of 64 bytes of mock-0 belongs to another device, not mock-1; a command"
              + " buffer cannot copy between devices, a queue can",
          () -> commands.copy(own, 0, buffer, 0, 64));
      assertSays(
          "command buffer was made for mock-0, not mock-1",
          () -> two.queue(0).execute(Fence.NONE, Fence.NONE, theirs));
    }
  }

  /** The kernels of the test's bundle. */
  public static final class Kernels {
    private Kernels() {}

    /** Is never run. */
    public static void look(Workgroup group) {
      throw new AssertionError("a refused kernel has run " + group);
    }
  }

  @Test
  void dispatchingAnotherDevicesKernelNamesBothDevices(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "looks",
         "kernels": [{"name": "look", "workgroupSize": [1], "parameters": []}],
         "variants": [{"format": "java", "class": "%s"}]}
        """
            .formatted(Kernels.class.getName()));
    try (Device one = open(0, "");
        Device two = open(1, "");
        Executable loaded = one.loadExecutable(ExecutableSource.of(folder))) {
      assertSays(
          "kernel looks:look was loaded for mock-0, not mock-1",
          () ->
              two.queue(0)
                  .dispatch(
                      Fence.NONE, Fence.NONE, loaded.kernel("look"), Workgroups.of(1), Args.of()));
    }
  }

  @Test
  void workWithMemoryOfAClosedDeviceFailsAndNamesTheDevice() throws InterruptedException {
    try (Device one = open(0, "");
        Device two = open(1, "");
        DeviceBuffer buffer = one.allocate(64, BufferParams.DEVICE);
        DeviceBuffer imported = two.allocator().importPeer(buffer);
        TimelineSemaphore done = two.createSemaphore(0)) {
      one.close();
      two.queue(0).fill(Fence.NONE, done.at(1), imported, 0, 64, FillPattern.ZERO);
      HalException failure =
          assertThrows(HalException.class, () -> done.await(1, Duration.ofSeconds(30)));
      assertEquals(
          "mock-1-q0 operation 1 (fill): device mock-0, whose memory is used, is closed",
          failure.getMessage());
    }
  }

  @Test
  void aWrongRankOfAGroupIsNamed() {
    try (Device one = open(0, "");
        Device two = open(1, "");
        DeviceBuffer a = one.allocate(64, BufferParams.DEVICE);
        DeviceBuffer b = two.allocate(64, BufferParams.DEVICE);
        CollectiveGroup group = CollectiveGroup.of(one, two)) {
      DeviceBuffer odd = a.slice(2, 8);
      assertSays(
          "the source of rank 0 begins at 2; it must be a multiple of 4",
          () ->
              group.allReduce(
                  Reduction.SUM,
                  ElementType.F32,
                  List.of(
                      new Rank(Fence.NONE, Fence.NONE, odd, odd),
                      new Rank(Fence.NONE, Fence.NONE, b, b))));
      assertSays(
          "all-reduce names 1 rank; the group has 2",
          () ->
              group.allReduce(
                  Reduction.SUM, ElementType.F32, List.of(new Rank(Fence.NONE, Fence.NONE, a, a))));
    }
  }

  @Test
  void openingAMissingDeviceNamesTheOptionDevices() {
    HalException none =
        assertThrows(HalException.class, () -> DRIVER.open(DeviceUri.parse("mock://1")));
    String end = "; the option devices says how many there are, as in mock://1?devices=2";
    assertEquals(end, none.getMessage().substring(none.getMessage().length() - end.length()));
  }
}
