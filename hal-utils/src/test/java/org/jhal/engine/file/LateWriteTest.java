// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Options;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.transfer.StagingPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device goes on writing host memory of a failed transfer, so no other transfer gets that memory,
 * and the bytes of other transfers stay intact (rules G4, Q2).
 */
@Timeout(60)
class LateWriteTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int BLOCK = 4 << 20;
  private static final byte SOUND = 7;
  private static final byte LATE = 0x66;
  private static final byte OLD = 0x11;
  private static final HalException LOST = new HalException(Status.UNAVAILABLE, "on purpose");
  private static final HalException PLAIN = new HalException(Status.ABORTED, "on purpose");

  /** How long we watch for memory that is given away too early. */
  private static final long CHANCE_MILLIS = 50;

  private final FakeBackend late = new FakeBackend();
  private final EngineDevice<Event> here = new FakeBackend().open(1, LONG);
  private final EngineDevice<Event> sound = new FakeBackend().open(1, LONG);
  private final EngineDevice<Event> gone = late.open(1, LONG);

  /** The memory that the held device was given to write to. */
  private final ConcurrentLinkedQueue<HostMemory> given = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    release();
    List.of(gone, here, sound).forEach(EngineDevice::close);
    for (EngineDevice<Event> device : List.of(gone, here, sound)) {
      FakeBackend backend = (FakeBackend) device.backend();
      Threads.await("native memory to be freed", () -> backend.liveMemory.get() == 0);
      Threads.await("native events to be destroyed", () -> backend.device.liveEvents() == 0);
      Threads.await(
          "streams to be closed", () -> backend.streams.stream().allMatch(FakeStream::isClosed));
    }
  }

  /** Lets the streams of {@link #gone} run, also work that no event covers. */
  private void release() {
    late.device.setHeld(false);
    for (FakeStream stream : late.streams) {
      boolean runs = true;
      while (runs) {
        runs = stream.advance();
      }
    }
  }

  private static byte[] filled(int length, byte value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }

  private static void fill(HostMemory memory, byte value) {
    memory.write(0, ByteBuffer.wrap(filled((int) memory.size(), value)));
  }

  /** Holds the streams of {@link #gone}, and notes the memory that each readback writes to. */
  private void hold() {
    late.device.setHeld(true);
    late.streams.forEach(
        stream ->
            stream.setOnIssue(
                (commands, submission) -> {
                  if (commands.get(0).kind() == Command.Kind.READBACK) {
                    given.add(commands.get(0).host());
                  }
                }));
  }

  /** Copies between the two others. Before anything is written, the late device writes. */
  private void checkCopies() throws Exception {
    assertFalse(given.isEmpty(), "the device was given nothing to write to");
    ConcurrentLinkedQueue<byte[]> uploaded = new ConcurrentLinkedQueue<>();
    stream(sound).setOnIssue((commands, submission) -> fill(commands.get(0).host(), SOUND));
    stream(here)
        .setOnIssue(
            (commands, submission) -> {
              given.forEach(memory -> fill(memory, LATE));
              byte[] bytes = new byte[(int) commands.get(0).host().size()];
              commands.get(0).host().read(0, ByteBuffer.wrap(bytes));
              uploaded.add(bytes);
            });
    try (DeviceBuffer source = sound.allocate(2 * BLOCK, BufferParams.DEVICE);
        DeviceBuffer target = here.allocate(2 * BLOCK, BufferParams.DEVICE);
        TimelineSemaphore done = here.createSemaphore(0)) {
      here.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, source.size());
      done.await(1, LONG);
    }
    assertEquals(2 * BLOCK, uploaded.stream().mapToInt(bytes -> bytes.length).sum());
    for (byte[] bytes : uploaded) {
      byte[] expected = filled(bytes.length, SOUND);
      assertEquals(-1, Arrays.mismatch(expected, bytes), "where a copy has foreign bytes");
    }
  }

  private static FakeStream stream(EngineDevice<Event> device) {
    return ((FakeBackend) device.backend()).streams.get(0);
  }

  private static HalException failure(TimelineSemaphore done) {
    return assertThrows(HalException.class, () -> done.await(1, LONG));
  }

  @Test
  void theBlockOfACopyFromALostDeviceIsNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    try (DeviceBuffer source = gone.allocate(2 * BLOCK, BufferParams.DEVICE);
        DeviceBuffer target = here.allocate(2 * BLOCK, BufferParams.DEVICE)) {
      hold();
      here.queue(0).copy(Fence.NONE, done.at(1), source, 0, target, 0, source.size());
      Threads.await("both parts to be in the stream", () -> given.size() == 2);
      gone.lose(LOST);
      assertEquals(Status.UNAVAILABLE, failure(done).status());
      checkCopies();
    }
  }

  private TimelineSemaphore broadcast(Duration deadline) {
    CollectiveGroup group =
        CollectiveGroup.of(
            List.of(here, gone), Options.DEFAULT.withHostOnly().withDeadline(deadline));
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    DeviceBuffer source = gone.allocate(BLOCK, BufferParams.DEVICE);
    DeviceBuffer target = here.allocate(BLOCK, BufferParams.DEVICE);
    hold();
    group.broadcast(
        1,
        List.of(
            new Rank(Fence.NONE, done.at(1), null, target),
            new Rank(Fence.NONE, Fence.NONE, source, null)));
    // On a busy machine the deadline may pass before the last lane has begun.
    Threads.await("all lanes to read", () -> given.size() == 4 || done.failure() != null);
    source.close();
    target.close();
    return done;
  }

  @Test
  void theBlocksOfACollectiveWithALostDeviceAreNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = broadcast(LONG);
    gone.lose(LOST);
    assertEquals(Status.UNAVAILABLE, failure(done).status());
    checkCopies();
  }

  @Test
  void theBlocksOfACollectiveThatIsLateAreNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = broadcast(Duration.ofSeconds(5));
    assertEquals(Status.DEADLINE_EXCEEDED, failure(done).status());
    checkCopies();
  }

  /**
   * A call for one lane's transfer fails while the transfers of other lanes are in the stream. If
   * it is the recording of the event, the device counts as lost, but its stream goes on.
   */
  @ParameterizedTest
  @CsvSource({"createEvent, 4", "recordEvent, 3", "recordEvent, 4"}) // copies take the last blocks
  void theBlocksOfACollectiveWithAFailedTransferAreNotGivenToTheNext(String call, int nth)
      throws Exception {
    late.device.failNth(call, nth, PLAIN);
    TimelineSemaphore done = broadcast(LONG);
    boolean isAlive = call.equals("createEvent");
    assertEquals(isAlive ? Status.ABORTED : Status.UNAVAILABLE, failure(done).status());
    assertEquals(isAlive, gone.lostCause() == null);
    checkCopies();
  }

  /** A user of a chunk, once it got one or was refused one. */
  private static final class ChunkUser implements StagingPool.User {
    final CompletableFuture<StagingPool.Loan> chunk = new CompletableFuture<>();

    @Override
    public void use(StagingPool.Loan given) {
      chunk.complete(given);
    }

    @Override
    public void refuse(HalException cause) {
      chunk.completeExceptionally(cause);
    }
  }

  private ChunkUser request() {
    ChunkUser user = new ChunkUser();
    Inside.fileStaging(gone).request(user);
    return user;
  }

  /** One transfer fails before it reaches the stream. Only its chunk is free. */
  @Test
  void theChunksOfAFailedFileThatAStreamWritesAreNotGivenToTheNext(@TempDir Path folder)
      throws Exception {
    int size = StagingPool.CHUNKS * StagingPool.CHUNK_BYTES;
    Path path = Files.write(folder.resolve("file"), filled(size, OLD));
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    try (DeviceBuffer buffer = gone.allocate(size, BufferParams.DEVICE);
        DeviceFile file = gone.openFile(path, StandardOpenOption.WRITE)) {
      stream(gone)
          .setOnIssue(
              (commands, submission) -> {
                late.device.setHeld(true); // only now, since the write begins in the stream, too
                given.add(commands.get(0).host());
                if (given.size() == StagingPool.CHUNKS - 1) {
                  late.device.failNth("createEvent", 1, PLAIN);
                }
              });
      gone.queue(0).write(Fence.NONE, done.at(1), file, 0, buffer, 0, size);
      Threads.await(
          "all chunks but one to be in the stream", () -> given.size() == StagingPool.CHUNKS - 1);
      StagingPool.Loan chunk = request().chunk.get(LONG.toSeconds(), TimeUnit.SECONDS);
      HostMemory next = chunk.memory(StagingPool.CHUNK_BYTES);
      fill(next, SOUND);
      given.forEach(memory -> fill(memory, LATE));
      byte[] found = new byte[StagingPool.CHUNK_BYTES];
      next.read(0, ByteBuffer.wrap(found));
      assertArrayEquals(filled(found.length, SOUND), found, "the next one's bytes");
      ChunkUser behind = request();
      assertThrows(
          TimeoutException.class, () -> behind.chunk.get(CHANCE_MILLIS, TimeUnit.MILLISECONDS));
      assertNull(done.failure(), "a failure while the stream writes chunks");
      release();
      assertEquals(Status.ABORTED, failure(done).status());
      assertNull(gone.lostCause());
      StagingPool.Loan last = behind.chunk.get(LONG.toSeconds(), TimeUnit.SECONDS);
      List.of(chunk, last).forEach(StagingPool.Loan::end);
    }
    int unwritten = 0;
    byte[] content = Files.readAllBytes(path);
    for (int start = 0; start < size; start += StagingPool.CHUNK_BYTES) {
      byte expected = content[start] == OLD ? OLD : LATE;
      unwritten += expected == OLD ? 1 : 0;
      assertArrayEquals(
          filled(StagingPool.CHUNK_BYTES, expected),
          Arrays.copyOfRange(content, start, start + StagingPool.CHUNK_BYTES),
          "the part at " + start);
    }
    assertEquals(1, unwritten, "parts that were not written");
  }

  /** It may be reading a chunk, and it is known to be past that only if its stream says so. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void chunksOfAFileOnALostDeviceAreNotReused(boolean hasEvents, @TempDir Path folder)
      throws Exception {
    int size = StagingPool.CHUNKS * StagingPool.CHUNK_BYTES;
    Path path = Files.write(folder.resolve("file"), new byte[size]);
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    try (DeviceBuffer buffer = gone.allocate(size, BufferParams.DEVICE);
        DeviceFile file = gone.openFile(path)) {
      stream(gone)
          .setOnIssue(
              (commands, submission) -> {
                late.device.setHeld(true); // only now, since the read begins in the stream, too
                given.add(commands.get(0).host());
                if (!hasEvents && given.size() == StagingPool.CHUNKS) {
                  late.device.failNth("recordEvent", 1, PLAIN);
                }
              });
      gone.queue(0).read(Fence.NONE, done.at(1), file, 0, buffer, 0, size);
      Threads.await("all chunks to be in the stream", () -> given.size() == StagingPool.CHUNKS);
      ChunkUser next = request();
      if (hasEvents) {
        gone.lose(LOST);
      }
      assertEquals(Status.UNAVAILABLE, failure(done).status());
      ExecutionException refusal =
          assertThrows(
              ExecutionException.class, () -> next.chunk.get(LONG.toSeconds(), TimeUnit.SECONDS));
      assertSame(gone.lostCause(), refusal.getCause());
    }
  }
}
