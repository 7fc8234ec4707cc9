// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.TimelineSemaphore;
import org.jhal.Timepoint;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TransferCases;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Fills, updates and copies of a queue change exactly the bytes that they name. */
@CtsSuite
class QueueTransferTest {
  static Stream<TransferCases.Fill> fills() {
    return Stream.concat(TransferCases.smallFills(), TransferCases.fillClasses());
  }

  static Stream<TransferCases.Copy> copies() {
    return TransferCases.copyClasses();
  }

  static Stream<TransferCases.Copy> updates() {
    return Stream.concat(
        TransferCases.updateClasses(), Stream.of(new TransferCases.Copy(7, 3, 2 * 65_536 + 37)));
  }

  private static void fill(
      Cts cts, DeviceBuffer target, long offset, long length, FillPattern pattern) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().fill(Fence.NONE, done.at(1), target, offset, length, pattern);
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @CsvSource({"1,0x07,1024", "2,0xAB23,1024", "4,0xAB23CD45,4096", "4,0xDEADBEEF,262144"})
  @Rule("M2")
  void fillsAWholeBuffer(int patternBytes, String bits, int size, Cts cts) {
    FillPattern pattern = new FillPattern(Long.decode(bits).intValue(), patternBytes);
    DeviceBuffer target = cts.buffer(size);
    fill(cts, target, 0, size, pattern);
    assertBytes(TransferCases.repeated(pattern, size), cts.read(target), "the filled buffer");
  }

  @Test
  @Rule("M2")
  void fillsARange(Cts cts) {
    DeviceBuffer target = cts.buffer(filled(256, 0));
    fill(cts, target, 64, 128, FillPattern.of8(0xAB));
    assertBytes(
        TestData.with(filled(256, 0), 64, filled(128, 0xAB)), cts.read(target), "the buffer");
  }

  @ParameterizedTest
  @MethodSource("fills")
  @Rule("M2")
  void fillsEachClassOfSizeAlignmentAndPattern(TransferCases.Fill fill, Cts cts) {
    DeviceBuffer target = cts.buffer(fill.before());
    fill(cts, target, fill.offset(), fill.length(), fill.pattern());
    assertBytes(fill.after(), cts.read(target), "the filled buffer");
  }

  @Test
  @Rule("M2")
  void aFillOfASliceChangesOnlyTheSlice(Cts cts) {
    DeviceBuffer target = cts.buffer(filled(64, 0));
    fill(cts, target.slice(20, 30).slice(4, 20), 4, 16, FillPattern.of32(0x01020304));
    byte[] expected =
        TestData.with(filled(64, 0), 28, TransferCases.repeated(FillPattern.of32(0x01020304), 16));
    assertBytes(expected, cts.read(target), "the whole buffer");
  }

  private static void update(Cts cts, ByteBuffer source, DeviceBuffer target, long offset) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().update(Fence.NONE, done.at(1), source, target, offset);
    awaitReached(done, 1);
  }

  @Test
  @Rule("M2")
  void updatesAWholeBuffer(Cts cts) {
    DeviceBuffer target = cts.buffer(256);
    update(cts, ByteBuffer.wrap(bytes(256)), target, 0);
    assertBytes(bytes(256), cts.read(target), "the updated buffer");
  }

  @Test
  @Rule("M2")
  void updatesARange(Cts cts) {
    DeviceBuffer target = cts.buffer(filled(256, 0));
    update(cts, ByteBuffer.wrap(bytes(64)), target, 32);
    assertBytes(TestData.with(filled(256, 0), 32, bytes(64)), cts.read(target), "the buffer");
  }

  @Test
  @Rule("M2")
  void updatesFromTheMiddleOfTheSource(Cts cts) {
    DeviceBuffer target = cts.buffer(64);
    update(cts, ByteBuffer.wrap(bytes(256)).position(64).limit(128), target, 0);
    assertBytes(Arrays.copyOfRange(bytes(256), 64, 128), cts.read(target), "the buffer");
  }

  @ParameterizedTest
  @MethodSource("updates")
  @Rule("M2")
  void updatesEachClassOfSizeAndAlignment(TransferCases.Copy update, Cts cts) {
    for (boolean direct : new boolean[] {false, true}) {
      DeviceBuffer target = cts.buffer(update.before());
      ByteBuffer source =
          direct ? TestData.direct(update.source()) : ByteBuffer.wrap(update.source());
      source.position(update.sourceOffset()).limit(update.sourceOffset() + update.length());
      update(cts, source, target, update.targetOffset());
      assertBytes(update.after(), cts.read(target), "the updated buffer, direct: " + direct);
    }
  }

  private static void copy(
      Cts cts, DeviceBuffer source, long from, DeviceBuffer target, long to, long length) {
    TimelineSemaphore done = cts.semaphore();
    cts.queue().copy(Fence.NONE, done.at(1), source, from, target, to, length);
    awaitReached(done, 1);
  }

  @ParameterizedTest
  @CsvSource({"512", "262144", "1"})
  @Rule("M2")
  void copiesAWholeBuffer(int size, Cts cts) {
    DeviceBuffer source = cts.buffer(bytes(size));
    DeviceBuffer target = cts.buffer(size);
    copy(cts, source, 0, target, 0, size);
    assertBytes(bytes(size), cts.read(target), "the copy");
  }

  @Test
  @Rule("M2")
  void copiesARangeToAnotherPlace(Cts cts) {
    DeviceBuffer source = cts.buffer(bytes(256));
    DeviceBuffer target = cts.buffer(filled(256, 0));
    copy(cts, source, 64, target, 96, 100);
    assertBytes(
        TestData.with(filled(256, 0), 96, Arrays.copyOfRange(bytes(256), 64, 164)),
        cts.read(target),
        "the target");
  }

  @ParameterizedTest
  @MethodSource("copies")
  @Rule("M2")
  void copiesEachClassOfSizeAndAlignment(TransferCases.Copy copy, Cts cts) {
    DeviceBuffer source = cts.buffer(copy.source());
    DeviceBuffer target = cts.buffer(copy.before());
    copy(cts, source, copy.sourceOffset(), target, copy.targetOffset(), copy.length());
    assertBytes(copy.after(), cts.read(target), "the target");
    assertBytes(copy.source(), cts.read(source), "the source");
  }

  @Test
  @Rule("M2")
  void copiesBetweenDisjointRangesOfOneBuffer(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(64));
    copy(cts, buffer.slice(0, 40), 8, buffer, 40, 24);
    byte[] expected = TestData.with(bytes(64), 40, Arrays.copyOfRange(bytes(64), 8, 32));
    assertBytes(expected, cts.read(buffer), "the buffer");
  }

  @Test
  @Rule({"M2", "Q1"})
  void manyCopiesMayBeInFlight(Cts cts) {
    int size = 4096;
    int count = 64;
    DeviceBuffer source = cts.buffer(bytes(size));
    for (int round = 0; round < 8; round++) {
      DeviceBuffer target = cts.buffer((long) size * count);
      List<Timepoint> ends = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        TimelineSemaphore done = cts.semaphore();
        ends.add(done.at(1));
        cts.queue(i % cts.device().queueCount())
            .copy(Fence.NONE, done.at(1), source, 0, target, (long) size * i, size);
      }
      awaitReached(Fence.of(ends));
      byte[] actual = cts.read(target);
      for (int i = 0; i < count; i++) {
        byte[] part = Arrays.copyOfRange(actual, size * i, size * (i + 1));
        assertBytes(bytes(size), part, "copy " + i + " of round " + round);
      }
      target.close();
    }
  }

  @Test
  @Rule("M2")
  void transfersOfLengthZeroWaitAndSignal(Cts cts) {
    DeviceBuffer buffer = cts.buffer(bytes(16));
    DeviceBuffer empty = cts.buffer(0);
    TimelineSemaphore go = cts.semaphore();
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      ends.add(cts.semaphore());
    }
    DeviceQueue queue = cts.queue();
    ByteBuffer nothing = ByteBuffer.allocate(0);
    queue.fill(go.at(1), ends.get(0).at(1), buffer, 16, 0, FillPattern.of32(1));
    queue.update(go.at(1), ends.get(1).at(1), nothing, buffer, 16);
    queue.upload(go.at(1), ends.get(2).at(1), nothing, buffer, 5);
    queue.readback(go.at(1), ends.get(3).at(1), buffer, 16, nothing);
    queue.copy(go.at(1), ends.get(4).at(1), buffer, 0, buffer, 0, 0);
    queue.fill(go.at(1), ends.get(5).at(1), empty, 0, 0, FillPattern.ZERO);
    queue.copy(go.at(1), ends.get(6).at(1), empty, 0, buffer, 16, 0);
    cts.flush(queue);
    ends.forEach(end -> Waits.assertPending(end, 1));
    go.signal(1);
    ends.forEach(end -> awaitReached(end, 1));
    assertBytes(bytes(16), cts.read(buffer), "the buffer");
  }
}
