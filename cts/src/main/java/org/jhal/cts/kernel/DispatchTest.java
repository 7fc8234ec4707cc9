// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.TestData.ints;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jhal.Args;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.GivesUp;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Recorded dispatches: the kernel runs, over the right grid, with the right arguments. */
@CtsSuite
class DispatchTest {
  @ParameterizedTest
  @EnumSource
  @Rule({"M2", "M8"})
  void aKernelAccessesTheRangesOfItsArguments(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(floats(-1.5f, -2.5f, -3.5f, -4.5f));
    DeviceBuffer y = cts.buffer(floats(9, 9, 9, 9));
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("absolute"),
            Workgroups.of(2),
            Args.of(commands.ref(x, 4, 8), commands.ref(y, 4, 8)));
    commands.run(cts.queue());
    assertBytes(floats(9, 2.5f, 3.5f, 9), cts.read(y), "the absolute values of elements 1 and 2");
    assertBytes(floats(-1.5f, -2.5f, -3.5f, -4.5f), cts.read(x), "the source");
  }

  private static byte[] groupIds(Workgroups count) {
    ByteBuffer ids =
        ByteBuffer.allocate(12 * count.x() * count.y() * count.z()).order(ByteOrder.nativeOrder());
    for (int z = 0; z < count.z(); z++) {
      for (int y = 0; y < count.y(); y++) {
        for (int x = 0; x < count.x(); x++) {
          ids.putInt(x).putInt(y).putInt(z);
        }
      }
    }
    return ids.array();
  }

  @ParameterizedTest
  @CsvSource({
    "32,1,1",
    "1,32,1",
    "1,1,32",
    "1,1,1",
    "4,3,5",
    "1024,1,1",
    "7,1,9",
    "65535,1,1",
    "1,65535,1",
    "1,1,65535"
  })
  @Rule("M8")
  void eachWorkgroupOfTheGridRunsOnce(int x, int y, int z, Cts cts) {
    Workgroups count = new Workgroups(x, y, z);
    DeviceBuffer ids = cts.buffer(TestData.filled(12 * x * y * z + 16, 0xCD));
    for (Commands.Form form : Commands.Form.values()) {
      Commands commands = new Commands(cts, form);
      commands.buffer().dispatch(cts.kernel("write_group_ids"), count, Args.of(commands.ref(ids)));
      commands.run(cts.queue());
      byte[] expected =
          TestData.with(TestData.filled(12 * x * y * z + 16, 0xCD), 0, groupIds(count));
      assertBytes(expected, cts.read(ids), "the indices of " + count + ", " + form);
      cts.write(ids, 0, TestData.filled(12 * x * y * z + 16, 0xCD));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void oneExecutableMayHaveSeveralKernels(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(ints(1, -2, 3, 0));
    DeviceBuffer negated = cts.buffer(16);
    DeviceBuffer twice = cts.buffer(16);
    Commands commands = new Commands(cts, form);
    CommandBuffer buffer = commands.buffer();
    buffer.dispatch(
        cts.kernel("negate"), Workgroups.of(4), Args.of(commands.ref(x), commands.ref(negated)));
    buffer.dispatch(
        cts.kernel("twice"), Workgroups.of(4), Args.of(commands.ref(x), commands.ref(twice)));
    commands.run(cts.queue());
    assertBytes(ints(-1, 2, -3, 0), cts.read(negated), "negated");
    assertBytes(ints(2, -4, 6, 0), cts.read(twice), "doubled");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void constantsArriveInTheirOrder(Commands.Form form, Cts cts) {
    DeviceBuffer out = cts.buffer(16);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("write_constants"),
            Workgroups.of(1),
            Args.of(commands.ref(out), 11, 22, 33, 44));
    commands.run(cts.queue());
    assertBytes(ints(11, 22, 33, 44), cts.read(out), "the constants");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void constantsAndBuffersArriveTogether(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(ints(0, 1, 2, 3));
    DeviceBuffer y = cts.buffer(16);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("scale_and_offset"),
            Workgroups.of(4),
            Args.of(commands.ref(x), commands.ref(y), 3, 10));
    commands.run(cts.queue());
    assertBytes(ints(10, 13, 16, 19), cts.read(y), "3x + 10");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void buffersAndConstantsMayBeMixed(Commands.Form form, Cts cts) {
    DeviceBuffer x = cts.buffer(new byte[] {1, 2, (byte) 250, 0});
    DeviceBuffer y = cts.buffer(16);
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(
            cts.kernel("reflected"),
            Workgroups.of(4),
            Args.of(1000, commands.ref(x), 20.0, commands.ref(y)));
    commands.run(cts.queue());
    assertBytes(ints(1021, 1022, 1270, 1020), cts.read(y), "sums");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M8")
  void aWorkgroupGetsTheSharedMemoryOfTheManifest(Commands.Form form, Cts cts) {
    int groups = 5;
    DeviceBuffer data = cts.buffer(ints(64 * groups, i -> i));
    Commands commands = new Commands(cts, form);
    commands
        .buffer()
        .dispatch(cts.kernel("reverse"), Workgroups.of(groups), Args.of(commands.ref(data)));
    commands.run(cts.queue());
    byte[] expected = ints(64 * groups, i -> 64 * (i / 64) + 63 - i % 64);
    assertBytes(expected, cts.read(data), "each 64 ints reversed");
  }

  @ParameterizedTest
  @CsvSource({"0,1,1", "1,0,1", "1,1,0", "0,0,0"})
  @Rule("M6")
  void anEmptyGridRunsNoWorkgroup(int x, int y, int z, Cts cts) {
    DeviceBuffer ids = cts.buffer(TestData.filled(64, 0xCD));
    for (Commands.Form form : Commands.Form.values()) {
      Commands commands = new Commands(cts, form);
      commands
          .buffer()
          .dispatch(
              cts.kernel("write_group_ids"), new Workgroups(x, y, z), Args.of(commands.ref(ids)));
      commands.run(cts.queue());
      assertBytes(TestData.filled(64, 0xCD), cts.read(ids), "the bytes that no workgroup wrote");
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"M8", "Q9"})
  @FreshDevice
  @GivesUp
  @Needs(Need.KERNEL_FAILURES)
  void aKernelThatGivesUpFailsItsSignals(Commands.Form form, Cts cts) {
    cts.allowWarnings(); // on hardware, a trap loses the device
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore after = cts.semaphore();
    Commands commands = new Commands(cts, form);
    commands.buffer().dispatch(cts.kernel("trap"), Workgroups.of(3), Args.of(42));
    commands.submit(cts.queue(), Fence.NONE, done.at(1));
    HalException failure = Waits.awaitFailure(done, 1);
    if (cts.device().lostCause() != null) {
      TestData.assertHal(Status.UNAVAILABLE, failure);
      return;
    }
    TestData.assertHal(Status.ABORTED, failure, "trap");
    if (cts.kernels().format().equals("java")) {
      assertNotNull(failure.getCause(), "the exception of the kernel");
      assertEquals("trap 42", failure.getCause().getMessage());
    }
    cts.queue().barrier(Fence.NONE, after.at(1));
    Waits.awaitReached(after, 1);
  }

  /** If a device reports that it does not detect kernel failures, the operation must not fail. */
  @Test
  @Rule("M8")
  @FreshDevice
  @GivesUp
  void kernelFailuresAreNotReportedWhereTheDeviceDetectsNone(Cts cts) {
    if (cts.device().info().reportsKernelFailures()) {
      throw Cts.unsupported("the device reports that a kernel gave up");
    }
    cts.allowWarnings(); // what detects none may know of some
    TimelineSemaphore done = cts.semaphore();
    cts.queue().dispatch(Fence.NONE, done.at(1), cts.kernel("trap"), Workgroups.of(1), Args.of(42));
    Waits.awaitTrue("the kernel 'trap' to end", () -> Waits.isOver(done, 1));
    HalException failure = done.failure();
    assertNull(
        failure,
        () -> "the device's info says that it reports no kernel that gave up, but " + failure);
  }
}
