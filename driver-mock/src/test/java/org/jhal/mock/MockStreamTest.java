// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import static org.jhal.mock.FakeCommand.barrier;
import static org.jhal.mock.FakeCommand.copy;
import static org.jhal.mock.FakeCommand.external;
import static org.jhal.mock.FakeCommand.fill;
import static org.jhal.mock.FakeCommand.list;
import static org.jhal.mock.FakeCommand.readback;
import static org.jhal.mock.FakeCommand.update;
import static org.jhal.mock.FakeCommand.upload;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jhal.BufferParams;
import org.jhal.DeviceInfo;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.NativeAccess;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.support.Faults;
import org.jhal.mock.FakeCommand.Range;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream without the engine: its order, its room, its failures and the bytes of its commands. */
@Timeout(120)
class MockStreamTest {
  private static final long MEMORY = 1 << 20;

  /** More than a transfer moves at once. */
  private static final int LARGE = (1 << 17) + 37;

  private final List<MockDevice> devices = new ArrayList<>();
  private final List<MockStream> streams = new ArrayList<>();

  private MockDevice device(long seed, boolean outcomesCanFail) {
    DeviceInfo info =
        DeviceInfo.builder("mock", devices.size())
            .name("a mock")
            .uuid("mock " + devices.size())
            .memoryBytes(MEMORY)
            .maxWorkgroupCount(new Workgroups(1, 1, 1))
            .maxWorkgroupItems(1)
            .maxWorkgroupSize(new Workgroups(1, 1, 1))
            .build();
    Faults faults = MockDevice.newFaults();
    MockDevice device = new MockDevice(info, seed, 0, 2, outcomesCanFail, null, faults);
    devices.add(device);
    return device;
  }

  private MockStream stream(MockDevice device) {
    MockStream stream = (MockStream) device.createStream(streams.size());
    streams.add(stream);
    return stream;
  }

  private MockStream stream() {
    return stream(device(0, false));
  }

  @AfterEach
  void close() {
    streams.forEach(stream -> stream.setPaused(false));
    streams.forEach(MockStream::close);
    devices.forEach(MockDevice::close);
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, () -> "this thread waits for " + what);
      Thread.onSpinWait();
    }
  }

  /** Waits until a thread has looked at all that was done for it, and sleeps again. */
  private static void awaitAsleep(String name) {
    await(
        "the thread " + name + " to sleep",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .anyMatch(
                    each ->
                        each.getName().equals(name) && each.getState() == Thread.State.WAITING));
  }

  private static Range all(MockDevice device, int size) {
    return new Range((MockMemory) device.allocate(size, BufferParams.DEVICE), 0, size);
  }

  private static Range part(Range of, long offset, long length) {
    return new Range(of.memory(), offset, length);
  }

  private static byte[] bytes(Range range) {
    byte[] bytes = new byte[(int) range.length()];
    range.memory().segments().read(range.offset(), ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static Range with(MockDevice device, byte[] content) {
    Range range = all(device, content.length);
    range.memory().segments().write(0, ByteBuffer.wrap(content));
    return range;
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static MockEvent record(MockStream stream) {
    MockEvent event = stream.createEvent();
    new StreamSteps<>(stream).recordEvent(event);
    return event;
  }

  private static MockEvent issue(MockStream stream, FakeSubmission submission, Command... work) {
    new StreamSteps<>(stream).issue(list(work), submission);
    return record(stream);
  }

  private static void run(MockStream stream, Command... work) {
    FakeSubmission submission = new FakeSubmission();
    stream.synchronizeEvent(issue(stream, submission, work));
    assertEquals(List.of(), submission.failures);
  }

  // Bytes.

  @ParameterizedTest
  @CsvSource({
    "1, 0, 1",
    "1, 1, 6",
    "1, 3, 13",
    "1, 7, 70001",
    "2, 0, 2",
    "2, 2, 6",
    "2, 6, 70006",
    "4, 0, 4",
    "4, 4, 12",
    "4, 8, 70004"
  })
  void fillsRepeatThePatternAndNothingElse(int patternBytes, int offset, int length) {
    MockStream stream = stream();
    byte[] before = random(offset + length + 9);
    Range range = with(devices.get(0), before);
    int pattern = 0x84736251;
    run(stream, fill(part(range, offset, length), pattern, patternBytes));
    byte[] expected = before.clone();
    for (int i = 0; i < length; i++) {
      expected[offset + i] = (byte) (pattern >>> 8 * (i % patternBytes));
    }
    assertArrayEquals(expected, bytes(range));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 65_535, 65_536, 65_537, LARGE})
  void transfersMoveExactlyTheirRange(int length) {
    MockStream stream = stream();
    MockDevice device = devices.get(0);
    byte[] content = random(length);
    Range range = with(device, new byte[length + 20]);
    Range copied = with(device, new byte[length + 20]);
    byte[] read = new byte[length + 4];
    run(stream, upload(HostMemory.of(content), part(range, 5, length)));
    run(stream, copy(part(range, 5, length), part(copied, 11, length)));
    run(stream, readback(part(copied, 11, length), HostMemory.of(read, 3, length)));
    byte[] expected = new byte[length + 20];
    System.arraycopy(content, 0, expected, 5, length);
    assertArrayEquals(expected, bytes(range), "uploaded");
    expected = new byte[length + 20];
    System.arraycopy(content, 0, expected, 11, length);
    assertArrayEquals(expected, bytes(copied), "copied");
    assertArrayEquals(content, Arrays.copyOfRange(read, 3, 3 + length), "read back");
    assertEquals(0, read[2]);
    assertEquals(0, read[3 + length]);
    run(stream, update(part(range, 2, length), content));
    assertArrayEquals(content, bytes(part(range, 2, length)), "updated");
  }

  @Test
  void onlyTransfersAreReportedAsMoves() {
    MockStream stream = stream();
    Range range = all(devices.get(0), 8);
    FakeSubmission submission = new FakeSubmission();
    Command up = upload(HostMemory.of(new byte[8]), range);
    Command back = readback(range, HostMemory.of(new byte[8]));
    MockEvent last = issue(stream, submission, up, fill(range, 1, 1), barrier(), back);
    stream.synchronizeEvent(last);
    assertEquals(List.of(up, back), submission.moves);
  }

  /** Tasks are reused: one with fewer buffers sees none of those of the one before. */
  @Test
  void externalWorkGetsItsOwnBuffers() {
    MockStream stream = stream();
    MockDevice device = devices.get(0);
    List<List<Byte>> seen = Collections.synchronizedList(new ArrayList<>());
    for (int count : new int[] {3, 1, 70, 2}) {
      List<Range> buffers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        buffers.add(part(with(device, new byte[] {9, (byte) (count + i), 9}), 1, 1));
      }
      ExternalCall call =
          new ExternalCall() {
            @Override
            public int bufferCount() {
              return count;
            }

            @Override
            public @Nullable HalException run(NativeAccess access) {
              List<Byte> found = new ArrayList<>();
              for (int i = 0; i < count; i++) {
                ByteBuffer bytes = access.bytes(i);
                found.add(bytes.get());
                assertFalse(bytes.hasRemaining());
              }
              seen.add(found);
              return null;
            }
          };
      run(stream, external(call, buffers));
    }
    for (List<Byte> found : seen) {
      int count = found.size();
      for (int i = 0; i < count; i++) {
        assertEquals((byte) (count + i), found.get(i), "buffer " + i + " of " + count);
      }
    }
    assertEquals(List.of(3, 1, 70, 2), seen.stream().map(List::size).toList());
  }

  // Order and room.

  @Test
  void anEventFiresBehindItsWork() {
    MockStream stream = stream();
    Range range = with(devices.get(0), new byte[4]);
    stream.setPaused(true);
    MockEvent first = issue(stream, new FakeSubmission(), fill(range, 1, 1));
    MockEvent second = issue(stream, new FakeSubmission(), fill(part(range, 0, 2), 2, 1));
    assertFalse(stream.queryEvent(first));
    awaitAsleep("mock-0-stream0");
    assertFalse(stream.isIdle(), "there is work");
    assertArrayEquals(new byte[4], bytes(range));
    stream.setPaused(false);
    stream.synchronizeEvent(second);
    assertTrue(stream.queryEvent(first));
    assertArrayEquals(new byte[] {2, 2, 1, 1}, bytes(range));
    await("the stream to be idle", stream::isIdle);
  }

  /** The second wait alone holds the work back, and so does one of many. */
  @ParameterizedTest
  @CsvSource({"2, 1", "2, 0", "9, 8", "9, 4"})
  void workFollowsAllEventsThatItWaitsFor(int waits, int last) {
    MockDevice device = device(0, false);
    MockStream held = stream(device);
    MockStream stream = stream(device);
    Range range = with(device, new byte[1]);
    List<MockEvent> events = new ArrayList<>();
    StreamSteps<MockEvent> steps = new StreamSteps<>(stream);
    for (int i = 0; i < waits; i++) {
      MockStream producer = i == last ? held : stream(device);
      producer.setPaused(i == last);
      events.add(record(producer));
      steps.waitEvent(events.get(i));
    }
    MockEvent end = issue(stream, new FakeSubmission(), fill(range, 7, 1));
    for (int i = 0; i < waits; i++) {
      if (i != last) {
        stream.synchronizeEvent(events.get(i));
      }
    }
    assertFalse(stream.queryEvent(end));
    assertArrayEquals(new byte[1], bytes(range));
    held.setPaused(false);
    stream.synchronizeEvent(end);
    assertArrayEquals(new byte[] {7}, bytes(range));
  }

  /** An event that is recorded again is waited for as it was when the wait was issued. */
  @Test
  void aWaitIsForTheRecordingOfItsTime() {
    MockDevice device = device(0, false);
    MockStream producer = stream(device);
    MockStream stream = stream(device);
    MockEvent event = record(producer);
    producer.synchronizeEvent(event);
    new StreamSteps<>(stream).waitEvent(event);
    producer.setPaused(true);
    new StreamSteps<>(producer).recordEvent(event);
    stream.synchronizeEvent(record(stream)); // although the latest recording has not fired
    assertFalse(producer.queryEvent(event));
  }

  /** Waits, commands and events take room, and what has run gives all of it back. */
  @Test
  void theIssuingThreadWaitsForRoomAndNotBefore() {
    MockStream stream = stream();
    Range range = all(devices.get(0), 4);
    MockEvent before = record(stream);
    stream.synchronizeEvent(before);
    int perBatch = 4; // a wait, two commands and an event
    for (int round = 0; round < 3; round++) {
      stream.setPaused(true);
      StreamSteps<MockEvent> steps = new StreamSteps<>(stream);
      for (int used = 0; used + perBatch <= stream.capacity(); used += perBatch) {
        steps.waitEvent(before);
        assertNotNull(issue(stream, new FakeSubmission(), fill(range, 1, 1), barrier()));
      }
      Thread issuer = new Thread(() -> assertNotNull(record(stream)), "issuer");
      issuer.start();
      await(
          "the issuing thread to wait for room",
          () -> issuer.getState() == Thread.State.TIMED_WAITING);
      assertTrue(issuer.isAlive());
      stream.setPaused(false);
      await("the issuing thread to go on", () -> !issuer.isAlive());
      stream.synchronizeEvent(record(stream));
      await("the stream to be idle", stream::isIdle);
    }
  }

  @Test
  void aBatchMayBeLargerThanTheStream() {
    MockStream stream = stream();
    Range range = with(devices.get(0), new byte[4]);
    Command[] work = new Command[3 * stream.capacity()];
    for (int i = 0; i < work.length; i++) {
      work[i] = fill(range, i, 4);
    }
    run(stream, work);
    assertEquals(
        work.length - 1,
        range.memory().segments().chunk(0, 4).order(ByteOrder.LITTLE_ENDIAN).getInt());
  }

  /** With a seed, commands between two barriers change places, and none passes a barrier. */
  @Test
  void barriersHoldInAnyOrder() {
    boolean hasSwapped = false;
    for (int seed = 1; seed <= 20; seed++) {
      MockDevice device = device(seed, false);
      MockStream stream = stream(device);
      List<Integer> order = Collections.synchronizedList(new ArrayList<>());
      List<Command> work = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        int number = i;
        work.add(external(noting(() -> order.add(number)), List.of()));
        if (i % 4 == 3) {
          work.add(barrier());
        }
      }
      run(stream, work.toArray(new Command[0]));
      assertEquals(12, order.size());
      for (int i = 0; i < 12; i++) {
        assertEquals(i / 4, order.get(i) / 4, "the section of command " + i + " in " + order);
      }
      hasSwapped |= !order.equals(order.stream().sorted().toList());
    }
    assertTrue(hasSwapped, "no seed has swapped anything");
  }

  private static ExternalCall noting(Runnable note) {
    return new ExternalCall() {
      @Override
      public int bufferCount() {
        return 0;
      }

      @Override
      public @Nullable HalException run(NativeAccess access) {
        note.run();
        return null;
      }
    };
  }

  /** With a seed, work that still waits holds up no other. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void anOutOfOrderStreamRunsWhatCanRun(int seed) {
    MockDevice device = device(seed, false);
    MockStream held = stream(device);
    MockStream stream = stream(device);
    Range range = with(device, new byte[2]);
    held.setPaused(true);
    MockEvent never = record(held);
    new StreamSteps<>(stream).waitEvent(never);
    MockEvent late = issue(stream, new FakeSubmission(), fill(part(range, 0, 1), 1, 1));
    MockEvent early = issue(stream, new FakeSubmission(), fill(part(range, 1, 1), 2, 1));
    stream.synchronizeEvent(early);
    assertFalse(stream.queryEvent(late));
    assertArrayEquals(new byte[] {0, 2}, bytes(range));
    held.setPaused(false);
    stream.synchronizeEvent(late);
    assertArrayEquals(new byte[] {1, 2}, bytes(range));
  }

  /** With a seed, a stream sleeps while nothing can run, and is woken when that changes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOutOfOrderStreamIsWokenByOtherStreams(boolean isOtherDevice) {
    MockDevice device = device(7, false);
    MockStream stream = stream(device);
    MockStream producer = stream(isOtherDevice ? device(0, false) : device);
    producer.setPaused(true);
    MockEvent event = record(producer);
    new StreamSteps<>(stream).waitEvent(event);
    MockEvent end = record(stream);
    awaitAsleep("mock-0-stream0");
    assertFalse(stream.queryEvent(end));
    producer.setPaused(false);
    await("the stream to go on", () -> stream.queryEvent(end));
  }

  // Failures.

  private static Range freed(MockDevice device) {
    Range range = all(device, 4);
    range.memory().free();
    return range;
  }

  /** The first failure is told first, what is behind it runs, and so does the next operation. */
  @Test
  void aFailureFailsItsOwnSubmission() {
    MockStream stream = stream();
    MockDevice device = devices.get(0);
    Range range = with(device, new byte[4]);
    FakeSubmission bad = new FakeSubmission();
    FakeSubmission good = new FakeSubmission();
    issue(
        stream,
        bad,
        fill(part(range, 0, 1), 1, 1),
        fill(freed(device), 1, 1),
        fill(part(range, 1, 1), 2, 1));
    stream.synchronizeEvent(issue(stream, good, fill(part(range, 2, 1), 3, 1)));
    assertEquals(1, bad.failures.size(), () -> bad.failures.toString());
    assertEquals(Status.FAILED_PRECONDITION, bad.failures.get(0).status());
    assertTrue(bad.failures.get(0).getMessage().contains("after it was freed"));
    assertEquals(List.of(), good.failures);
    assertArrayEquals(new byte[] {1, 2, 3, 0}, bytes(range));
  }

  /** The first failure of a batch is its outcome; the next batch has its own. */
  @Test
  void anOutcomeIsThatOfItsBatch() {
    MockDevice device = device(0, true);
    MockStream stream = stream(device);
    FakeSubmission bad = new FakeSubmission();
    FakeSubmission good = new FakeSubmission();
    device.faults().failNth("execute", 1, new HalException(Status.DATA_LOSS, "the first"));
    device.faults().failNth("execute", 2, new HalException(Status.INTERNAL, "the second"));
    Range range = with(device, new byte[4]);
    MockEvent failed = issue(stream, bad, fill(range, 1, 1), fill(range, 1, 1));
    MockEvent sound = issue(stream, good, fill(range, 2, 1));
    stream.synchronizeEvent(sound);
    HalException outcome = stream.outcome(failed);
    assertNotNull(outcome);
    assertEquals(Status.DATA_LOSS, outcome.status());
    assertNull(stream.outcome(sound));
    assertThrows(IllegalStateException.class, () -> stream.outcome(failed));
    assertEquals(List.of(), bad.failures, "told, although it is to be asked for");
    assertEquals(List.of(), good.failures);
    await("the stream to be idle", stream::isIdle);
    stream.setPaused(true);
    List<MockEvent> later = new ArrayList<>();
    for (int i = 0; i < 4; i++) { // so many at a time that all objects are used again
      later.add(record(stream));
    }
    stream.setPaused(false);
    stream.synchronizeEvent(later.get(3));
    for (MockEvent each : later) {
      assertNull(stream.outcome(each), "the outcome of work that was sound");
    }
  }

  /** Of the program's function itself, which needs no query. */
  @Test
  void aFailureOfExternalWorkIsTold() {
    MockDevice device = device(0, true);
    MockStream stream = stream(device);
    FakeSubmission submission = new FakeSubmission();
    Runnable failing =
        () -> {
          throw new IllegalStateException("nothing to compute");
        };
    MockEvent event = issue(stream, submission, external(noting(failing), List.of()));
    stream.synchronizeEvent(event);
    assertEquals(Status.ABORTED, submission.failures.get(0).status());
    assertNull(stream.outcome(event));
  }

  @Test
  void theOutcomeOfWorkThatHasNotEndedIsNotAskedFor() {
    MockDevice device = device(0, true);
    MockStream stream = stream(device);
    stream.setPaused(true);
    MockEvent event = record(stream);
    assertThrows(IllegalStateException.class, () -> stream.outcome(event));
    assertThrows(IllegalStateException.class, event::record);
  }

  /** Nothing runs any more, no event fires, and each call says why. */
  @Test
  void aLossEndsTheStream() {
    MockDevice device = device(0, false);
    MockStream stream = stream(device);
    Range range = with(device, new byte[1]);
    stream.setPaused(true);
    MockEvent event = issue(stream, new FakeSubmission(), fill(range, 1, 1));
    device.lose(new HalException(Status.UNAVAILABLE, "it fell off"));
    stream.setPaused(false);
    await("the stream to be idle", stream::isIdle);
    assertArrayEquals(new byte[1], bytes(range));
    for (Runnable call :
        List.<Runnable>of(
            () -> stream.synchronizeEvent(event),
            () -> assertFalse(stream.queryEvent(event)),
            () -> assertNotNull(stream.createEvent()))) {
      HalException thrown = assertThrows(HalException.class, call::run);
      assertEquals(Status.UNAVAILABLE, thrown.status());
      assertTrue(thrown.getMessage().contains("it fell off"), thrown::toString);
    }
  }

  /** A stream of another device goes on: the event of a lost device holds nobody up. */
  @Test
  void workBehindALostDeviceGoesOn() {
    MockDevice lost = device(0, false);
    MockDevice device = device(0, false);
    MockStream producer = stream(lost);
    MockStream stream = stream(device);
    producer.setPaused(true);
    MockEvent event = record(producer);
    new StreamSteps<>(stream).waitEvent(event);
    MockEvent end = record(stream);
    assertFalse(stream.queryEvent(end));
    lost.lose(new HalException(Status.UNAVAILABLE, "it fell off"));
    stream.synchronizeEvent(end);
  }

  /** Such a thread runs no kernel that may never end: it waits for a processor. */
  @Test
  void theCloseWaitsForAThreadThatIsLate() throws Exception {
    MockStream stream = stream();
    FakeSubmission late = new FakeSubmission(true);
    CountDownLatch hasRun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    late.atTimes =
        () -> {
          hasRun.countDown();
          awaitOpen(goOn);
        };
    issue(stream, late, fill(all(devices.get(0), 4), 1, 1));
    awaitOpen(hasRun);
    streams.remove(stream);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(stream::close);
    try {
      assertThrows(TimeoutException.class, () -> closing.get(1500, TimeUnit.MILLISECONDS));
    } finally {
      goOn.countDown();
    }
    closing.get(30, TimeUnit.SECONDS);
    assertEquals(2, late.times.size());
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS), "the other thread has not gone on");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // Memory.

  /** The budget is charged when memory is promised, and credited when its free is issued. */
  @Test
  void theBudgetFollowsWhatIsIssued() {
    MockStream stream = stream();
    MockDevice device = devices.get(0);
    StreamSteps<MockEvent> steps = new StreamSteps<>(stream);
    FakeSubmission submission = new FakeSubmission();
    stream.setPaused(true);
    MockMemory memory = (MockMemory) steps.allocAsync(MEMORY, BufferParams.DEVICE, submission);
    assertEquals(MEMORY, device.budget().used());
    HalException refused =
        assertThrows(
            HalException.class, () -> steps.allocAsync(1, BufferParams.DEVICE, submission));
    assertEquals(Status.RESOURCE_EXHAUSTED, refused.status());
    HalException early = assertThrows(HalException.class, memory::segments);
    assertTrue(early.getMessage().contains("before its allocation"), early::toString);
    steps.freeAsync(memory);
    assertEquals(0, device.budget().used());
    MockMemory next = (MockMemory) steps.allocAsync(MEMORY, BufferParams.DEVICE, submission);
    MockEvent end = record(stream);
    stream.setPaused(false);
    stream.synchronizeEvent(end);
    assertEquals(List.of(), submission.failures);
    HalException late = assertThrows(HalException.class, memory::segments);
    assertTrue(late.getMessage().contains("after it was freed"), late::toString);
    assertEquals((byte) 0xCD, bytes(new Range(next, MEMORY - 1, 1))[0], "what new memory holds");
    next.free();
    assertEquals(0, device.budget().used());
  }

  @Test
  void memoryOfAnotherDeviceNeedsAccess() {
    MockDevice one = device(0, false);
    MockDevice two = device(0, false);
    MockStream stream = stream(one);
    Range theirs = with(two, new byte[] {1});
    Range ours = with(one, new byte[] {2});
    for (Command command : List.of(copy(theirs, ours), copy(ours, theirs), fill(theirs, 1, 1))) {
      HalException refused =
          assertThrows(HalException.class, () -> issue(stream, new FakeSubmission(), command));
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      stream.synchronizeEvent(record(stream));
    }
    one.enableAccess(two);
    run(stream, copy(theirs, ours));
    assertArrayEquals(new byte[] {1}, bytes(ours));
  }

  // Times.

  @Test
  void timedWorkReportsWhenItRan() {
    MockStream stream = stream();
    Range range = all(devices.get(0), 4);
    long before = System.nanoTime();
    FakeSubmission timed = new FakeSubmission(true);
    FakeSubmission other = new FakeSubmission();
    issue(stream, timed, fill(range, 1, 1), fill(range, 2, 1));
    stream.synchronizeEvent(issue(stream, other, fill(range, 1, 1)));
    long after = System.nanoTime();
    assertEquals(2, timed.times.size(), "a beginning and an end");
    assertTrue(
        before <= timed.times.get(0)
            && timed.times.get(0) <= timed.times.get(1)
            && timed.times.get(1) <= after,
        () -> before + " " + timed.times + " " + after);
    assertEquals(List.of(), other.times);
    assertEquals(0, stream.timingWeight(true));
    assertEquals(-1, stream.timingWeight(false));
  }
}
