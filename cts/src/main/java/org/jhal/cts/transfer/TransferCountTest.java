// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceState;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Peers;
import org.jhal.cts.support.TestFolder;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device reports about the bytes that it moves from and to the host: rule D6. */
@CtsSuite
class TransferCountTest {
  private static final int MIB = 1 << 20;
  private static final int FILE_BYTES = (21 << 20) + 1; // moved in several parts

  /** Memory of the host that a driver may access in different ways. */
  enum Place {
    ARRAY,
    DIRECT_BUFFER,
    /** A mapping of a device's memory, which some devices can access themselves. */
    MAPPING;

    HostMemory memory(Cts cts, int bytes) {
      return switch (this) {
        case ARRAY -> HostMemory.of(new byte[bytes]);
        case DIRECT_BUFFER -> HostMemory.of(ByteBuffer.allocateDirect(bytes));
        case MAPPING -> {
          if (!cts.device().allocator().supports(BufferParams.HOST)) {
            throw Cts.unsupported("the device has no memory of type HOST");
          }
          DeviceBuffer buffer = cts.buffer(cts.device(), bytes, BufferParams.HOST);
          DeviceBuffer.Mapping mapping = cts.closing(buffer.map(DeviceBuffer.MapMode.READ_WRITE));
          yield HostMemory.of(mapping.bytes());
        }
      };
    }
  }

  /** What a device has moved since this object was made. */
  private static final class Counts {
    private final Device device;
    private final DeviceStatistics before;

    Counts(Device device) {
      this.device = device;
      this.before = device.statistics();
    }

    long uploaded() {
      return device.statistics().uploadedBytes() - before.uploadedBytes();
    }

    long readBack() {
      return device.statistics().readbackBytes() - before.readbackBytes();
    }

    void assertMoved(long uploaded, long readBack) {
      assertEquals(uploaded, uploaded(), "bytes that were uploaded");
      assertEquals(readBack, readBack(), "bytes that were read back");
    }
  }

  /** Sizes for which drivers use different ways, in each kind of memory. */
  static Stream<Arguments> transfers() {
    return Stream.of(Place.values())
        .flatMap(
            place ->
                IntStream.of(1, 4096, MIB / 4, MIB / 4 + 1, MIB, MIB + 1, 9 * MIB + 3)
                    .mapToObj(size -> Arguments.of(place, size)));
  }

  /** The second upload is enqueued, and perhaps issued, while its producer is not done. */
  @ParameterizedTest
  @MethodSource("transfers")
  @Rule({"D6", "K7"})
  void eachUploadAndReadbackCounts(Place place, int size, Cts cts) {
    HostMemory memory = place.memory(cts, size);
    DeviceBuffer buffer = cts.buffer(size + 1);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    cts.queue().upload(Fence.NONE, done.at(1), memory, buffer, 0);
    awaitReached(done, 1);
    counts.assertMoved(size, 0);
    cts.queue().readback(Fence.NONE, done.at(2), buffer, 0, memory);
    cts.queue().upload(done.at(2), done.at(3), memory, buffer, 1);
    cts.queue().readback(done.at(3), done.at(4), buffer, 1, memory);
    awaitReached(done, 4);
    counts.assertMoved(2L * size, 2L * size);
  }

  /** A driver may find a faster form for what is repeated. */
  @ParameterizedTest
  @EnumSource
  @Rule({"D6", "K6"})
  void eachRepetitionCounts(Place place, Cts cts) {
    HostMemory memory = place.memory(cts, 1000);
    DeviceBuffer buffer = cts.buffer(1000);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    for (int i = 1; i <= 100; i += 2) {
      cts.queue().upload(done.at(i - 1), done.at(i), memory, buffer, 0);
      cts.queue().readback(done.at(i), done.at(i + 1), buffer, 0, memory);
      if (i % 10 == 1) {
        awaitReached(done, i + 1); // so that some are issued with all waits reached
      }
    }
    awaitReached(done, 100);
    counts.assertMoved(50_000, 50_000);
  }

  @Test
  @Rule({"D6", "M2"})
  void transfersOfNothingCountNothing(Cts cts) {
    DeviceBuffer buffer = cts.buffer(8);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    cts.queue().upload(Fence.NONE, done.at(1), HostMemory.of(new byte[0]), buffer, 4);
    cts.queue().readback(done.at(1), done.at(2), buffer, 8, HostMemory.of(new byte[0]));
    awaitReached(done, 2);
    counts.assertMoved(0, 0);
  }

  /** These move bytes too, but none of them is a transfer of host memory. */
  @Test
  @Rule("D6")
  void nothingElseCounts(Cts cts) {
    DeviceBuffer source = cts.buffer(bytes(70_001));
    DeviceBuffer target = cts.buffer(70_001);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    ByteBuffer update = ByteBuffer.wrap(bytes(40_000));
    cts.queue().update(Fence.NONE, done.at(1), update, source, 1);
    cts.queue().fill(done.at(1), done.at(2), source, 1, 7, FillPattern.of8(3));
    cts.queue().copy(done.at(2), done.at(3), source, 0, target, 0, 70_001);
    awaitReached(done, 3);
    counts.assertMoved(0, 0);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"D6", "K6"})
  void recordingsCountNothing(Commands.Form form, Cts cts) {
    DeviceBuffer source = cts.buffer(bytes(70_001));
    DeviceBuffer target = cts.buffer(70_001);
    Commands commands = new Commands(cts, form, CommandBuffer.Mode.REUSABLE);
    commands.buffer().update(ByteBuffer.wrap(bytes(40_000)), commands.ref(source), 1);
    commands.buffer().barrier();
    commands.buffer().copy(commands.ref(source), 0, commands.ref(target), 0, 70_001);
    Counts counts = new Counts(cts.device());
    for (int i = 0; i < 5; i++) {
      commands.run(cts.queue());
    }
    counts.assertMoved(0, 0);
  }

  @Test
  @Rule({"D6", "M9"})
  void filesCountAsTransfersOfTheirBytes(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file", bytes(FILE_BYTES)), READ, WRITE);
    DeviceBuffer buffer = cts.buffer(FILE_BYTES);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    cts.queue().read(Fence.NONE, done.at(1), file, 0, buffer, 0, FILE_BYTES);
    awaitReached(done, 1);
    counts.assertMoved(FILE_BYTES, 0);
    cts.queue().write(Fence.NONE, done.at(2), file, 5, buffer, 10, FILE_BYTES - 10);
    awaitReached(done, 2);
    counts.assertMoved(FILE_BYTES, FILE_BYTES - 10);
  }

  @Test
  @Rule({"D6", "M9"})
  void aFileThatEndsTooEarlyCountsAtMostItsRange(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("short", bytes(FILE_BYTES - 1)));
    DeviceBuffer buffer = cts.buffer(FILE_BYTES);
    TimelineSemaphore done = cts.semaphore();
    Counts counts = new Counts(cts.device());
    cts.queue().read(Fence.NONE, done.at(1), file, 0, buffer, 0, FILE_BYTES);
    awaitFailure(done, 1, Status.OUT_OF_RANGE);
    cts.awaitIdle();
    assertTrue(counts.uploaded() < FILE_BYTES, () -> counts.uploaded() + " bytes were uploaded");
    assertEquals(0, counts.readBack(), "bytes that were read back");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, MIB + 1, 17 * MIB})
  @Rule({"D6", "S9"})
  void aCopyThroughTheHostCountsOnBothDevices(int size, Cts cts) {
    Device from = Peers.openAlone(cts);
    Device to = Peers.openAlone(cts);
    DeviceBuffer source = cts.buffer(from, size, BufferParams.DEVICE);
    DeviceBuffer target = cts.buffer(to, size, BufferParams.DEVICE);
    TimelineSemaphore done = cts.semaphore();
    to.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, size);
    awaitReached(done, 1);
    assertEquals(size, from.statistics().readbackBytes(), "bytes that were read back");
    assertEquals(0, from.statistics().uploadedBytes(), "bytes uploaded to the source");
    assertEquals(size, to.statistics().uploadedBytes(), "bytes that were uploaded");
    assertEquals(0, to.statistics().readbackBytes(), "bytes read back from the target");
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, 2 * MIB})
  @Rule({"D6", "Q6", "S8"})
  void whatFailsBeforeItIsIssuedCountsNothing(int size, Cts cts) {
    DeviceBuffer buffer = cts.buffer(size);
    TimelineSemaphore failed = cts.semaphore();
    TimelineSemaphore closed = cts.semaphore();
    Counts counts = new Counts(cts.device());
    for (TimelineSemaphore gate : List.of(failed, closed)) {
      TimelineSemaphore uploaded = cts.semaphore();
      TimelineSemaphore readBack = cts.semaphore();
      HostMemory memory = HostMemory.of(new byte[size]);
      cts.queue().upload(gate.at(1), uploaded.at(1), memory, buffer, 0);
      cts.queue().readback(gate.at(1), readBack.at(1), buffer, 0, memory);
      if (gate == failed) {
        gate.fail(new HalException(Status.DATA_LOSS, "gone"));
      } else {
        gate.close();
      }
      Status status = gate == failed ? Status.DATA_LOSS : Status.CANCELLED;
      awaitFailure(uploaded, 1, status);
      awaitFailure(readBack, 1, status);
    }
    cts.awaitIdle();
    counts.assertMoved(0, 0);
  }

  /** Which native call fails, and whether the transfer was issued before. */
  static Stream<Arguments> failures() {
    return Stream.of(1000, MIB, 2 * MIB)
        .flatMap(
            size ->
                Stream.of("issue", "execute", "hostCompletion")
                    .map(call -> Arguments.of(call, size)));
  }

  /** The host may have nothing to complete; then the transfer succeeds, and counts as well. */
  @ParameterizedTest
  @MethodSource("failures")
  @Rule({"D6", "Q7a"})
  @Needs(Need.CONTROLS)
  @FreshDevice
  void whatFailsAfterItWasIssuedCounts(String call, int size, Cts cts) {
    cts.needCall(cts.device(), call);
    DeviceBuffer buffer = cts.buffer(size);
    long counted = call.equals("issue") ? 0 : size;
    cts.allowWarnings();
    Counts counts = new Counts(cts.device());
    TimelineSemaphore uploaded = cts.semaphore();
    cts.controls().failNext(call, 1, Status.ABORTED, false);
    cts.queue().upload(Fence.NONE, uploaded.at(1), HostMemory.of(new byte[size]), buffer, 0);
    awaitEnd(call, uploaded);
    cts.controls().reset();
    cts.awaitIdle();
    counts.assertMoved(counted, 0);
    TimelineSemaphore readBack = cts.semaphore();
    cts.controls().failNext(call, 1, Status.ABORTED, false);
    cts.queue().readback(Fence.NONE, readBack.at(1), buffer, 0, HostMemory.of(new byte[size]));
    awaitEnd(call, readBack);
    cts.controls().reset();
    cts.awaitIdle();
    counts.assertMoved(counted, counted);
  }

  private static void awaitEnd(String call, TimelineSemaphore done) {
    if (call.equals("hostCompletion")) {
      Waits.awaitTrue("the transfer to end", () -> Waits.isOver(done, 1));
    } else {
      awaitFailure(done, 1, Status.ABORTED);
    }
  }

  /** The numbers are those of no other device, which may be open as well. */
  @Test
  @Rule("D6")
  @FreshDevice
  void theStatesOfTheProcessIncludeTheDevice(Cts cts) {
    DeviceBuffer buffer = cts.buffer(345_678);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().upload(Fence.NONE, done.at(1), HostMemory.of(new byte[345_678]), buffer, 0);
    cts.queue().readback(done.at(1), done.at(2), buffer, 0, HostMemory.of(new byte[123_456]));
    awaitReached(done, 2);
    assertEquals(1, states(345_678, 123_456), () -> "states like this in " + Hal.deviceStates());
    cts.device().close();
    assertEquals(0, states(345_678, 123_456), () -> "a closed device in " + Hal.deviceStates());
  }

  private static long states(long uploaded, long readBack) {
    return Hal.deviceStates().stream()
        .map(DeviceState::statistics)
        .filter(each -> each.uploadedBytes() == uploaded && each.readbackBytes() == readBack)
        .count();
  }
}
