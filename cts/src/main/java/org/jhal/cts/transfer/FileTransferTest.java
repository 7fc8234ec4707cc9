// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.TestData.with;
import static org.jhal.cts.support.TestFolder.content;
import static org.jhal.cts.support.Waits.assertPending;
import static org.jhal.cts.support.Waits.assertStaysPending;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.jhal.cts.support.Waits.pollReached;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.DeviceQueue;
import org.jhal.DeviceStatistics;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.HostCall.Mode;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.FreshDevice;
import org.jhal.cts.Need;
import org.jhal.cts.Needs;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.HookedChannel;
import org.jhal.cts.support.TestFolder;
import org.jhal.cts.support.TransferCases;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading files into buffers and writing files from them: rule M9. */
@CtsSuite
class FileTransferTest {
  /** More bytes than a device is likely to have in flight for one file. */
  private static final int MANY_BYTES = (40 << 20) + 13;

  /** Copies from a buffer to a file, or in the other direction. */
  static Stream<TransferCases.Copy> copies() {
    return Stream.of(
        new TransferCases.Copy(0, 0, 1),
        new TransferCases.Copy(3, 1, 31),
        new TransferCases.Copy(4097, 511, 65_537),
        new TransferCases.Copy(0, 0, 1 << 20),
        new TransferCases.Copy(1, 2, (4 << 20) - 1),
        new TransferCases.Copy(2, 1, 4 << 20),
        new TransferCases.Copy(5, 0, (4 << 20) + 1),
        new TransferCases.Copy(0, 3, 8 << 20),
        new TransferCases.Copy(7, 4095, (17 << 20) + 3),
        new TransferCases.Copy(0, 0, MANY_BYTES));
  }

  @ParameterizedTest
  @MethodSource("copies")
  @Rule({"M9", "M2"})
  void aFileIsWritten(TransferCases.Copy copy, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("out", copy.before());
    DeviceFile file = folder.open(path, WRITE);
    DeviceBuffer source = cts.buffer(copy.source());
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .write(
            Fence.NONE,
            done.at(1),
            file,
            copy.targetOffset(),
            source,
            copy.sourceOffset(),
            copy.length());
    awaitReached(done, 1);
    assertBytes(copy.after(), content(path), "the file");
    assertBytes(copy.source(), cts.read(source), "the buffer");
  }

  /** Files have separate threads, so a host call cannot occupy those that it waits for. */
  @Test
  @Rule({"M9", "Q10"})
  @FreshDevice("host-calls=1")
  void aHostCallMayWaitForFiles(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", new byte[MANY_BYTES]);
    DeviceFile file = folder.open(path, READ, WRITE);
    byte[] content = bytes(MANY_BYTES);
    DeviceBuffer source = cts.buffer(content);
    DeviceBuffer target = cts.buffer(MANY_BYTES);
    TimelineSemaphore moved = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .hostCall(
            Fence.NONE,
            done.at(1),
            Mode.BLOCKING,
            call -> {
              DeviceQueue queue = call.queue();
              queue.write(Fence.NONE, moved.at(1), file, 0, source, 0, MANY_BYTES);
              queue.read(moved.at(1), moved.at(2), file, 0, target, 0, MANY_BYTES);
              awaitReached(moved, 2);
            });
    awaitReached(done, 1);
    assertBytes(content, cts.read(target), "the bytes that were written and read");
  }

  /** The parts in which the bytes move do not count as operations of the program. */
  @Test
  @Rule("M9")
  void aLargeFileCountsAsOneOperation(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("large", new byte[MANY_BYTES]), READ, WRITE);
    DeviceBuffer buffer = cts.buffer(MANY_BYTES);
    TimelineSemaphore done = cts.semaphore();
    DeviceStatistics before = cts.device().statistics();
    cts.queue().read(Fence.NONE, done.at(1), file, 0, buffer, 0, MANY_BYTES);
    cts.queue().write(done.at(1), done.at(2), file, 0, buffer, 0, MANY_BYTES);
    awaitReached(done, 2);
    cts.awaitIdle();
    DeviceStatistics after = cts.device().statistics();
    assertEquals(before.enqueued() + 2, after.enqueued(), "enqueued");
    assertEquals(after.enqueued(), after.retired(), "retired");
  }

  @ParameterizedTest
  @MethodSource("copies")
  @Rule({"M9", "M2"})
  void aFileIsRead(TransferCases.Copy copy, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("in", copy.source());
    DeviceFile file = folder.open(path);
    DeviceBuffer target = cts.buffer(copy.before());
    TimelineSemaphore done = cts.semaphore();
    cts.queue()
        .read(
            Fence.NONE,
            done.at(1),
            file,
            copy.sourceOffset(),
            target,
            copy.targetOffset(),
            copy.length());
    awaitReached(done, 1);
    assertBytes(copy.after(), cts.read(target), "the buffer");
    assertBytes(copy.source(), content(path), "the file");
  }

  @Test
  @Rule({"M9", "M2"})
  void aSliceIsReadAndWritten(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file"), CREATE, READ, WRITE);
    DeviceBuffer source = cts.buffer(bytes(4096));
    DeviceBuffer target = cts.buffer(filled(4096, 0));
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue().write(Fence.NONE, timeline.at(1), file, 0, source.slice(1000, 2000), 10, 1990);
    cts.queue().read(timeline.at(1), timeline.at(2), file, 0, target.slice(1000, 2000), 10, 1990);
    awaitReached(timeline, 2);
    byte[] moved = Arrays.copyOfRange(bytes(4096), 1010, 3000);
    assertBytes(with(filled(4096, 0), 1010, moved), cts.read(target), "the buffer");
  }

  /** Positions that do not fit into an int, in a file that is mostly sparse. */
  @Test
  @Rule({"M9", "M2"})
  void transfersBeyondTwoGigabytesOfAFileAreExact(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("sparse");
    DeviceFile file = folder.open(path, CREATE_NEW, SPARSE, READ, WRITE);
    long place = (5L << 30) - (4 << 20) + 1;
    byte[] data = bytes((9 << 20) + 1);
    DeviceBuffer source = cts.buffer(data);
    DeviceBuffer target = cts.buffer(filled(data.length + 2, 7));
    TimelineSemaphore timeline = cts.semaphore();
    cts.queue().write(Fence.NONE, timeline.at(1), file, place, source, 0, data.length);
    cts.queue().read(timeline.at(1), timeline.at(2), file, place - 1, target, 0, data.length + 1);
    awaitReached(timeline, 2);
    assertEquals(place + data.length, Files.size(path), "the size of the file");
    byte[] expected = with(filled(data.length + 2, 7), 1, data);
    expected[0] = 0; // from the hole
    assertBytes(expected, cts.read(target), "the bytes that were read");
  }

  @Test
  @Rule({"M9", "Q1"})
  void manyFileOperationsMayBeInFlight(Cts cts) {
    int count = 120;
    int size = 300_007;
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes(size * count / 2);
    Path in = folder.file("in", data);
    Path out = folder.file("out");
    DeviceFile source = folder.open(in, READ);
    DeviceFile target = folder.open(out, CREATE, WRITE);
    DeviceBuffer written = cts.buffer(data);
    DeviceBuffer read = cts.buffer(filled(data.length, 0));
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    for (int i = 0; i < count; i++) {
      ends[i] = cts.semaphore();
      DeviceQueue queue = cts.queue(i / 2 % cts.device().queueCount());
      long at = (long) size * (i / 2);
      if (i % 2 == 0) {
        queue.read(Fence.NONE, ends[i].at(1), source, at, read, at, size);
      } else {
        queue.write(Fence.NONE, ends[i].at(1), target, at, written, at, size);
      }
    }
    for (TimelineSemaphore end : ends) {
      awaitReached(end, 1);
    }
    assertBytes(data, cts.read(read), "all that was read");
    assertBytes(data, content(out), "all that was written");
  }

  @Test
  @Rule({"M9", "Q3"})
  void severalLargeFilesShareADevice(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes(MANY_BYTES);
    DeviceFile in = folder.open(folder.file("in", data));
    TimelineSemaphore done = cts.semaphore();
    TimelineSemaphore[] ends = new TimelineSemaphore[4];
    DeviceBuffer[] buffers = new DeviceBuffer[ends.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = cts.semaphore();
      buffers[i] = cts.buffer(cts.device(), data.length, BufferParams.DEVICE);
      DeviceFile out = folder.open(folder.file("out" + i), CREATE, WRITE);
      cts.queue().read(Fence.NONE, ends[i].at(1), in, 0, buffers[i], 0, data.length);
      cts.queue().write(ends[i].at(1), ends[i].at(2), out, 0, buffers[i], 0, data.length);
      buffers[i].close();
      out.close();
    }
    cts.queue().barrier(Fence.of(Stream.of(ends).map(end -> end.at(2)).toList()), done.at(1));
    awaitReached(done, 1);
    for (int i = 0; i < ends.length; i++) {
      assertBytes(data, content(folder.file("out" + i)), "file " + i);
    }
  }

  @Test
  @Rule({"M9", "Q9"})
  void fileOperationsFollowTheTimeline(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    int size = 5 << 20;
    DeviceFile file = folder.open(folder.file("file"), CREATE, READ, WRITE);
    DeviceBuffer source = cts.buffer(size);
    DeviceBuffer target = cts.buffer(size);
    int rounds = 5;
    TimelineSemaphore timeline = cts.semaphore();
    DeviceBuffer seen = cts.buffer(16L * rounds);
    long at = 0;
    for (int i = 0; i < rounds; i++) {
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      FillPattern pattern = FillPattern.of8(i + 1);
      queue.fill(timeline.at(at), timeline.at(at + 1), source, 0, size, pattern);
      queue.write(timeline.at(at + 1), timeline.at(at + 2), file, 0, source, 0, size);
      queue.fill(timeline.at(at + 2), timeline.at(at + 3), source, 0, size, FillPattern.ZERO);
      queue.read(timeline.at(at + 3), timeline.at(at + 4), file, 0, target, 0, size);
      queue.copy(timeline.at(at + 4), timeline.at(at + 5), target, size - 16, seen, 16 * i, 16);
      at += 5;
    }
    awaitReached(timeline, at);
    byte[] expected = new byte[16 * rounds];
    for (int i = 0; i < rounds; i++) {
      Arrays.fill(expected, 16 * i, 16 * i + 16, (byte) (i + 1));
    }
    assertBytes(expected, cts.read(seen), "the bytes that each round has read back");
  }

  @Test
  @Rule({"M9", "S5"})
  void fileAndBufferAreAccessedOnlyAfterTheWaits(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    Path in = folder.file("in", filled(64, 1));
    Path out = folder.file("out", new byte[0]);
    DeviceBuffer source = cts.buffer(filled(64, 3));
    DeviceBuffer target = cts.buffer(filled(64, 4));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore read = cts.semaphore();
    TimelineSemaphore written = cts.semaphore();
    cts.queue().read(go.at(1), read.at(1), folder.open(in), 0, target, 0, 64);
    cts.queue().write(go.at(1), written.at(1), folder.open(out, WRITE), 0, source, 0, 64);
    cts.flush(cts.queue());
    assertStaysPending(Fence.of(read.at(1), written.at(1)));
    assertEquals(0, Files.size(out), "the size of a file whose turn has not come");
    Files.write(in, bytes(64));
    cts.write(source, 0, bytes(64));
    go.signal(1);
    awaitReached(read, 1);
    awaitReached(written, 1);
    assertBytes(bytes(64), cts.read(target), "a file that was written before the turn");
    assertBytes(bytes(64), content(out), "a buffer that was written before the turn");
  }

  @Test
  @Rule({"M9", "M2"})
  void aFileTransferOfLengthZeroWaitsAndSignals(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file", bytes(8)), READ, WRITE);
    DeviceBuffer buffer = cts.buffer(bytes(8));
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore done = cts.semaphore();
    cts.queue().read(go.at(1), done.at(1), file, 100, buffer, 8, 0); // beyond the end of the file
    cts.queue().write(done.at(1), done.at(2), file, 100, buffer, 8, 0);
    cts.flush(cts.queue());
    assertPending(done, 1);
    go.signal(1);
    awaitReached(done, 2);
    assertBytes(bytes(8), cts.read(buffer), "the buffer");
    assertEquals(8, Files.size(folder.file("file")), "the size of the file");
  }

  @Test
  @Rule("M9")
  void aWrappedChannelStaysOpenAndKeepsItsPosition(Cts cts) throws IOException {
    TestFolder folder = new TestFolder(cts);
    FileChannel channel = folder.channel(folder.file("file", bytes(64)), READ, WRITE);
    channel.position(5);
    DeviceBuffer buffer = cts.buffer(filled(64, 0));
    TimelineSemaphore done = cts.semaphore();
    try (DeviceFile file = cts.device().wrapFile(channel)) {
      cts.queue().read(Fence.NONE, done.at(1), file, 0, buffer, 0, 64);
      cts.queue().write(done.at(1), done.at(2), file, 64, buffer, 0, 64);
    }
    awaitReached(done, 2);
    cts.awaitIdle();
    assertTrue(channel.isOpen(), "the channel is open");
    assertEquals(5, channel.position(), "its position");
    assertEquals(128, channel.size(), "its size");
    assertBytes(bytes(64), cts.read(buffer), "the bytes that were read");
  }

  /** The operating system may move fewer bytes than requested. */
  @ParameterizedTest
  @ValueSource(ints = {70_001, 3 << 20})
  @Rule("M9")
  void shortReadsAndWritesAreContinued(int most, Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes((9 << 20) + 5);
    Path path = folder.file("file", data);
    HookedChannel channel =
        cts.closing(new HookedChannel(folder.channel(path, READ, WRITE), nth -> most));
    DeviceFile file = cts.closing(cts.device().wrapFile(channel));
    DeviceBuffer buffer = cts.buffer(data.length);
    TimelineSemaphore done = cts.semaphore();
    cts.queue().read(Fence.NONE, done.at(1), file, 0, buffer, 0, data.length);
    cts.queue().write(done.at(1), done.at(2), file, data.length, buffer, 0, data.length);
    awaitReached(done, 2);
    assertTrue(channel.calls() > 2 * (data.length / most), "calls: " + channel.calls());
    assertBytes(data, Arrays.copyOfRange(content(path), data.length, 2 * data.length), "the copy");
  }

  /** Callbacks of the program may run on threads that access files. */
  @Test
  @Rule({"M9", "S7"})
  void aCallbackThatInterruptsItsThreadDoesNotCloseTheFile(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    Path path = folder.file("file", new byte[64]);
    DeviceFile file = folder.open(path, READ, WRITE);
    DeviceBuffer buffer = cts.buffer(bytes(64));
    TimelineSemaphore timeline = cts.semaphore();
    for (int i = 0; i < 20; i++) {
      timeline.onReach(i + 1, failure -> Thread.currentThread().interrupt());
      cts.queue().write(timeline.at(i), timeline.at(i + 1), file, i, buffer, 0, 8);
    }
    awaitReached(timeline, 20);
    TimelineSemaphore again = cts.semaphore();
    cts.queue().read(Fence.NONE, again.at(1), file, 19, buffer, 0, 8);
    awaitReached(again, 1);
    assertBytes(bytes(8), cts.read(buffer, 0, 8), "the bytes that were read");
  }

  /** It does not matter how many operations wait for the slow file. */
  @Test
  @Rule({"M9", "Q4"})
  void aSlowFileDoesNotDelayOtherWork(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    TimelineSemaphore go = cts.semaphore();
    FileChannel slow =
        cts.closing(
            new HookedChannel(
                folder.channel(folder.file("file", bytes(64)), READ, WRITE),
                nth -> {
                  pollReached(go, 1);
                  return HookedChannel.ALL;
                }));
    DeviceFile file = cts.closing(cts.device().wrapFile(slow));
    TimelineSemaphore[] ends = new TimelineSemaphore[40];
    for (int i = 0; i < ends.length; i++) {
      DeviceBuffer buffer = cts.buffer(64);
      ends[i] = cts.semaphore();
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      if (i % 4 < 2) {
        queue.read(Fence.NONE, ends[i].at(1), file, 0, buffer, 0, 64);
      } else {
        queue.write(Fence.NONE, ends[i].at(1), file, 64, buffer, 0, 64);
      }
    }
    byte[] data = bytes(9 << 20);
    DeviceBuffer large = cts.buffer(data); // uploads the data
    assertBytes(data, cts.read(large), "a readback");
    TimelineSemaphore called = cts.semaphore();
    cts.queue().hostCall(Fence.NONE, called.at(1), Mode.BLOCKING, call -> {});
    awaitReached(called, 1);
    for (TimelineSemaphore end : ends) {
      assertPending(end, 1);
    }
    go.signal(1);
    for (TimelineSemaphore end : ends) {
      awaitReached(end, 1);
    }
  }

  /** Another queue's work may use all the memory that files go through. */
  @Test
  @Rule({"M9", "Q4"})
  @Needs({Need.THREE_QUEUES, Need.CONTROLS})
  @FreshDevice("queues=2")
  void aBlockedQueueDoesNotDelayFilesOfAnotherQueue(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    byte[] data = bytes(MANY_BYTES);
    TimelineSemaphore held = cts.semaphore();
    TimelineSemaphore free = cts.semaphore();
    TimelineSemaphore go = cts.semaphore();
    HookedChannel channel =
        cts.closing(
            new HookedChannel(
                folder.channel(folder.file("file", data), READ),
                nth -> {
                  if (nth == 1) {
                    pollReached(go, 1);
                  }
                  return HookedChannel.ALL;
                }));
    DeviceFile slow = cts.closing(cts.device().wrapFile(channel));
    DeviceFile file = folder.open(folder.file("file"));
    DeviceBuffer one = cts.buffer(data.length);
    DeviceBuffer two = cts.buffer(data.length);
    cts.queue(0).read(Fence.NONE, held.at(1), slow, 0, one, 0, data.length);
    Waits.awaitTrue("the first file to be read", () -> channel.calls() > 0);
    cts.controls().pause(cts.queue(0)); // reads from now on go no further
    go.signal(1);
    cts.queue(1).read(Fence.NONE, free.at(1), file, 0, two, 0, data.length);
    awaitReached(free, 1);
    assertPending(held, 1);
    cts.controls().resume(cts.queue(0));
    awaitReached(held, 1);
    assertBytes(data, cts.read(one), "the bytes that the blocked queue has read");
    assertBytes(data, cts.read(two), "the bytes that the other queue has read");
  }

  @Test
  @Rule({"M9", "M5"})
  void aFileReportsItsDeviceAndName(Cts cts) {
    TestFolder folder = new TestFolder(cts);
    DeviceFile file = folder.open(folder.file("file", bytes(8)));
    Device device = cts.device();
    assertTrue(file.device() == device, "the device of a file");
    assertTrue(file.toString().contains("file"), file::toString);
  }
}
