// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.assertHal;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.TestFolder.content;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.awaitFailure;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.BufferUsage;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.Culprits;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TestFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** File operations that are rejected, and ones that fail: rule M9. */
@CtsSuite
class FileFailureTest {
  private static final int SIZE = (21 << 20) + 1; // six parts of JHAL's engine, in four lanes

  /** Enqueues a read or a write of the same range of a file and a buffer. */
  private static TimelineSemaphore move(
      boolean reads, Cts cts, Fence waits, DeviceFile file, DeviceBuffer buffer, long length) {
    TimelineSemaphore done = cts.semaphore();
    if (reads) {
      cts.queue().read(waits, done.at(1), file, 0, buffer, 0, length);
    } else {
      cts.queue().write(waits, done.at(1), file, 0, buffer, 0, length);
    }
    return done;
  }

  /** Reads a file, to check that an earlier failure has done no damage. */
  private static void assertWorks(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes(SIZE);
    DeviceBuffer buffer = cts.buffer(filled(SIZE, 0));
    DeviceFile file = folder.open(folder.file("sound", data));
    awaitReached(move(true, cts, Fence.NONE, file, buffer, SIZE), 1);
    assertBytes(data, cts.read(buffer), "a file that was read afterwards");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 99, 4 << 20, SIZE - 1})
  @Rule("M9")
  void aShortFileFailsTheSignals(int size, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("short", bytes(size)));
    DeviceBuffer buffer = cts.buffer(SIZE);
    TimelineSemaphore done = move(true, cts, Fence.NONE, file, buffer, SIZE);
    assertHal(
        Status.OUT_OF_RANGE,
        awaitFailure(done, 1),
        "short",
        "has " + size + " bytes; it ends before byte " + SIZE);
    assertWorks(cts);
  }

  @Test
  @Rule("M9")
  void aFileTruncatedDuringTheReadFailsTheSignals(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    FileChannel right = folder.channel(folder.file("file", bytes(SIZE)), READ, WRITE);
    HookedChannel channel =
        new HookedChannel(
            right,
            nth -> {
              if (nth == 3) {
                right.truncate(100);
              }
              return HookedChannel.ALL;
            });
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore done = move(true, cts, Fence.NONE, file, cts.buffer(SIZE), SIZE);
    assertHal(
        Status.OUT_OF_RANGE, awaitFailure(done, 1), "has 100 bytes; it ends before byte " + SIZE);
    assertWorks(cts);
  }

  @Test
  @Rule("M9")
  void aDeletedOpenFileCanStillBeReadAndWritten(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(64));
    DeviceFile file = folder.open(path, READ, WRITE);
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw Cts.unsupported("an open file cannot be deleted here: " + e);
    }
    DeviceBuffer buffer = cts.buffer(filled(64, 0));
    TimelineSemaphore done = move(true, cts, Fence.NONE, file, buffer, 64);
    awaitReached(done, 1);
    assertBytes(bytes(64), cts.read(buffer), "the bytes that were read");
    awaitReached(move(false, cts, Fence.NONE, file, buffer, 64), 1);
    assertTrue(!Files.exists(path), "the file is back");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q10"})
  void aChannelClosedDuringTheTransferFailsTheSignals(boolean reads, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    FileChannel right = folder.channel(folder.file("file", bytes(SIZE)), READ, WRITE);
    HookedChannel channel =
        new HookedChannel(
            right,
            nth -> {
              if (nth == 3) {
                right.close();
              }
              return HookedChannel.ALL;
            });
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, file, cts.buffer(bytes(SIZE)), SIZE);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
    assertWorks(cts);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q10"})
  void anIoExceptionFailsTheSignals(boolean reads, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    IOException broken = new IOException("the cable was cut");
    HookedChannel channel =
        new HookedChannel(
            folder.channel(folder.file("file", bytes(SIZE)), READ, WRITE),
            nth -> {
              if (nth >= 3) {
                throw broken;
              }
              return HookedChannel.ALL;
            });
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, file, cts.buffer(bytes(SIZE)), SIZE);
    HalException failure = awaitFailure(done, 1);
    assertHal(Status.ABORTED, failure, "the cable was cut", reads ? "read" : "written");
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    assertSame(broken, cause, "the first cause");
    assertWorks(cts);
  }

  /** The channel throws something other than an IOException. */
  @Test
  @Rule({"M9", "Q10"})
  void anErrorThrownByTheChannelFailsTheSignals(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    HookedChannel channel =
        new HookedChannel(
            folder.channel(folder.file("file", bytes(8)), READ),
            nth -> {
              throw new AssertionError("a wrong channel");
            });
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore done = move(true, cts, Fence.NONE, file, cts.buffer(8), 8);
    assertHal(Status.ABORTED, awaitFailure(done, 1), "a wrong channel");
    assertWorks(cts);
  }

  /** The toString() of what the channel throws itself throws. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q10"})
  void anErrorWhoseToStringThrowsFailsTheSignals(boolean reads, Cts cts) {
    class Mute extends Error {
      private static final long serialVersionUID = 1L;

      @Override
      public String toString() {
        throw new IllegalStateException("it has no words");
      }
    }

    TestFolder folder = new TestFolder(cts);
    HookedChannel channel =
        new HookedChannel(
            folder.channel(folder.file("file", bytes(SIZE)), READ, WRITE),
            nth -> {
              throw new Mute();
            });
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, file, cts.buffer(bytes(SIZE)), SIZE);
    assertHal(Status.ABORTED, awaitFailure(done, 1), reads ? "read" : "written", "Mute");
    assertWorks(cts);
  }

  @Test
  @Rule("M9")
  void aFullDiskFailsTheSignals(Cts cts) {
    Path full = Path.of("/dev/full"); // every write to it fails for lack of space
    if (!Files.exists(full)) {
      throw Cts.unsupported("there is no /dev/full");
    }
    DeviceFile file = cts.closing(cts.device().openFile(full, WRITE));
    DeviceBuffer buffer = cts.buffer(bytes(SIZE));
    TimelineSemaphore done = move(false, cts, Fence.NONE, file, buffer, SIZE);
    assertHal(Status.RESOURCE_EXHAUSTED, awaitFailure(done, 1), "/dev/full");
    assertWorks(cts);
  }

  @Test
  @Rule({"M9", "M5"})
  void aFileOpenedForTheOtherDirectionIsRejected(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(16));
    DeviceBuffer buffer = cts.buffer(16);
    long enqueued = cts.device().statistics().enqueued();
    for (DeviceFile readOnly : new DeviceFile[] {folder.open(path), folder.open(path, READ)}) {
      assertHal(
          Status.PERMISSION_DENIED,
          () -> move(false, cts, Fence.NONE, readOnly, buffer, 16),
          "for reading, not for writing");
    }
    DeviceFile writeOnly = folder.open(path, WRITE);
    assertHal(
        Status.PERMISSION_DENIED,
        () -> move(true, cts, Fence.NONE, writeOnly, buffer, 16),
        "for writing, not for reading");
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule("M9")
  void aChannelOpenedForTheOtherDirectionFailsTheSignals(boolean reads, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    FileChannel channel = folder.channel(folder.file("file", bytes(16)), reads ? WRITE : READ);
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    DeviceBuffer buffer = cts.buffer(bytes(16));
    TimelineSemaphore done = move(reads, cts, Fence.NONE, file, buffer, 16);
    awaitFailure(done, 1, Status.PERMISSION_DENIED);
    assertTrue(channel.isOpen(), "the channel is open");
  }

  @Test
  @Rule({"M9", "M5"})
  void filesThatCannotBeOpenedAreRejected(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(16));
    Path missing = folder.file("missing");
    Device device = cts.device();
    assertHal(Status.NOT_FOUND, () -> device.openFile(missing), "missing");
    assertHal(Status.NOT_FOUND, () -> device.openFile(missing, WRITE), "missing");
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> device.openFile(path, CREATE_NEW, WRITE),
        "it is in the way");
    Path itself = Objects.requireNonNull(path.getParent());
    assertHal(Status.FAILED_PRECONDITION, () -> device.openFile(itself), "is a folder");
    assertHal(Status.FAILED_PRECONDITION, () -> device.openFile(itself, WRITE), "is a folder");
    assertHal(Status.INVALID_ARGUMENT, () -> device.openFile(path, APPEND), "APPEND");
    assertHal(Status.INVALID_ARGUMENT, () -> device.openFile(path, WRITE, APPEND), "APPEND");
    assertHal(Status.INVALID_ARGUMENT, () -> device.openFile(missing, CREATE, APPEND), "APPEND");
    assertTrue(!Files.exists(missing), "a refused call has created a file");
    assertBytes(bytes(16), content(path), "the file");
  }

  @Test
  @Rule({"M9", "M5"})
  void invalidRangesAndBuffersAreRejected(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file", bytes(16)), READ, WRITE);
    DeviceBuffer buffer = cts.buffer(16);
    DeviceBuffer writeOnly =
        cts.buffer(cts.device(), 16, BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_TARGET));
    DeviceBuffer readOnly =
        cts.buffer(cts.device(), 16, BufferParams.DEVICE.withUsage(BufferUsage.TRANSFER_SOURCE));
    DeviceBuffer closed = cts.buffer(16);
    closed.close();
    DeviceQueue queue = cts.queue();
    TimelineSemaphore done = cts.semaphore();
    Fence signals = done.at(1);
    long enqueued = cts.device().statistics().enqueued();
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.read(Fence.NONE, signals, file, 0, buffer, 8, 9),
        "buffer",
        "8",
        "9",
        "16");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.write(Fence.NONE, signals, file, 0, buffer, 17, 0),
        "buffer",
        "17");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.read(Fence.NONE, signals, file, 0, buffer, 0, -1),
        "buffer",
        "-1");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.read(Fence.NONE, signals, file, -1, buffer, 0, 1),
        "file",
        "-1");
    assertHal(
        Status.OUT_OF_RANGE,
        () -> queue.write(Fence.NONE, signals, file, Long.MAX_VALUE, buffer, 0, 1),
        "file");
    assertHal(
        Status.PERMISSION_DENIED,
        () -> queue.write(Fence.NONE, signals, file, 0, writeOnly, 0, 1),
        "TRANSFER_SOURCE");
    assertHal(
        Status.PERMISSION_DENIED,
        () -> queue.read(Fence.NONE, signals, file, 0, readOnly, 0, 1),
        "TRANSFER_TARGET");
    assertHal(
        Status.FAILED_PRECONDITION,
        () -> queue.read(Fence.NONE, signals, file, 0, closed, 0, 1),
        "closed");
    assertEquals(enqueued, cts.device().statistics().enqueued(), "operations enqueued");
    assertPending(done, 1);
  }

  @Test
  @Rule({"M9", "M5"})
  @Needs(Need.SECOND_DEVICE)
  void filesAndBuffersOfAnotherDeviceAreRejected(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", bytes(16));
    DeviceFile file = folder.open(path);
    DeviceFile foreign = cts.closing(cts.second().openFile(path));
    DeviceBuffer buffer = cts.buffer(16);
    DeviceBuffer there = cts.buffer(cts.second(), 16, BufferParams.DEVICE);
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> move(true, cts, Fence.NONE, file, there, 16),
        "another device");
    assertHal(
        Status.INVALID_ARGUMENT,
        () -> move(true, cts, Fence.NONE, foreign, buffer, 16),
        "another device");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "Q6"})
  void aFailedWaitChangesNeitherFileNorBuffer(boolean reads, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", filled(64, 1));
    DeviceFile file = folder.open(path, READ, WRITE);
    DeviceBuffer buffer = cts.buffer(filled(64, 2));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = move(reads, cts, go.at(1), file, buffer, 64);
    go.fail(new HalException(Status.ABORTED, "another plan"));
    assertHal(Status.ABORTED, awaitFailure(done, 1), "another plan");
    cts.awaitIdle();
    assertBytes(filled(64, 1), content(path), "the file");
    assertBytes(filled(64, 2), cts.read(buffer), "the buffer");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"M9", "M1"})
  void aDeallocatedBufferFailsTheSignals(boolean reads, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file", bytes(64)), READ, WRITE);
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer gone =
        cts.closing(cts.queue().alloca(Fence.NONE, timeline.at(1), 64, BufferParams.DEVICE));
    cts.queue().dealloca(timeline.at(1), timeline.at(2), gone);
    TimelineSemaphore done = move(reads, cts, timeline.at(2), file, gone, 64);
    awaitFailure(done, 1, Status.FAILED_PRECONDITION);
  }

  static Stream<Culprits> culprits() {
    return Culprits.positions(6);
  }

  /** Whichever part fails, only the target's range is written. */
  @ParameterizedTest
  @MethodSource("culprits")
  @Rule({"M9", "Q7a", "Q10"})
  @Needs(Need.CONTROLS)
  void aFailureOfAnyPartFailsTheSignals(Culprits culprits, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] guard = filled(SIZE + 32, TestData.GUARD);
    byte[] data = with(guard, 16, bytes(SIZE));
    for (boolean reads : new boolean[] {true, false}) {
      Path path = folder.file("file-" + reads, reads ? data : guard);
      DeviceFile file = folder.open(path, READ, WRITE);
      DeviceBuffer buffer = cts.buffer(reads ? guard : data);
      TimelineSemaphore done = cts.semaphore();
      long failed = cts.device().statistics().failed();
      cts.allowWarnings();
      for (int culprit : culprits.which()) {
        cts.controls().failNext("issue", 1 + culprit, Status.DATA_LOSS, false);
      }
      if (reads) {
        cts.queue().read(Fence.NONE, done.at(1), file, 16, buffer, 16, SIZE);
      } else {
        cts.queue().write(Fence.NONE, done.at(1), file, 16, buffer, 16, SIZE);
      }
      awaitFailure(done, 1, Status.DATA_LOSS);
      cts.awaitIdle();
      // Its parts are no operations of the program.
      assertEquals(1, cts.device().statistics().failed() - failed, "operations that have failed");
      cts.controls().reset(); // the operation may have failed before another injected failure
      byte[] target = reads ? cts.read(buffer) : content(path);
      byte[] moved = Arrays.copyOfRange(target, 16, 16 + SIZE);
      assertBytes(with(guard, 16, moved), target, "around the target");
      assertBytes(data, reads ? content(path) : cts.read(buffer), "the source");
      buffer.close();
    }
    assertWorks(cts);
  }

  /** Files then go through other memory. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  @Rule("M9")
  @Needs(Need.CONTROLS)
  @FreshDevice
  void filesAreWrittenEvenIfAnAllocationFails(int nth, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes(SIZE);
    Path path = folder.file("out");
    DeviceFile file = folder.open(path, CREATE, WRITE);
    DeviceBuffer buffer = cts.buffer(data);
    if (!cts.controls().calls().contains("allocate")) {
      throw Cts.unsupported("no allocation can be made to fail");
    }
    cts.controls().failNext("allocate", nth, Status.RESOURCE_EXHAUSTED, false);
    awaitReached(move(false, cts, Fence.NONE, file, buffer, SIZE), 1);
    assertBytes(data, content(path), "the file");
    cts.controls().reset();
    assertWorks(cts);
  }
}
