package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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
import org.jhal.engine.queue.EngineSemaphore;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.transfer.StagingPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A device goes on writing host memory of a transfer that has failed, so nobody else gets that
 * memory: what others move through theirs stays as it is (rules G4, Q2).
 */
@Timeout(60)
class LateWriteTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int BLOCK = 4 << 20;
  private static final byte SOUND = 7;
  private static final byte LATE = 0x66;
  private static final HalException LOST = new HalException(Status.UNAVAILABLE, "on purpose");

  private final FakeBackend late = new FakeBackend();
  private final EngineDevice<Event> here = new FakeBackend().open(1, LONG);
  private final EngineDevice<Event> sound = new FakeBackend().open(1, LONG);
  private final EngineDevice<Event> gone = late.open(1, LONG);

  /** What the device that is held was given to write to. */
  private final ConcurrentLinkedQueue<HostMemory> given = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    late.device.setHeld(false);
    List.of(gone, here, sound).forEach(EngineDevice::close);
    for (EngineDevice<Event> device : List.of(gone, here, sound)) {
      FakeBackend backend = (FakeBackend) device.backend();
      Threads.await("native memory to be freed", () -> backend.liveMemory.get() == 0);
      Threads.await("native events to be destroyed", () -> backend.device.liveEvents() == 0);
      Threads.await(
          "streams to be closed", () -> backend.streams.stream().allMatch(FakeStream::isClosed));
    }
  }

  private static void fill(HostMemory memory, byte value) {
    byte[] bytes = new byte[(int) memory.size()];
    Arrays.fill(bytes, value);
    memory.write(0, ByteBuffer.wrap(bytes));
  }

  /** Holds the streams of {@link #gone}, and notes what each readback is to write to. */
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
      byte[] expected = new byte[bytes.length];
      Arrays.fill(expected, SOUND);
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
      var ignored = gone.lose(LOST);
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
    var ignored = gone.lose(LOST);
    assertEquals(Status.UNAVAILABLE, failure(done).status());
    checkCopies();
  }

  @Test
  void theBlocksOfACollectiveThatIsLateAreNotGivenToTheNext() throws Exception {
    TimelineSemaphore done = broadcast(Duration.ofSeconds(1));
    assertEquals(Status.DEADLINE_EXCEEDED, failure(done).status());
    checkCopies();
  }

  /** It may be reading a chunk, and it is known to be past that only if its stream says so. */
  @Test
  void theChunksOfAFileOnALostDeviceAreGivenToNobody(@TempDir Path folder) throws Exception {
    int size = StagingPool.CHUNKS * StagingPool.CHUNK_BYTES;
    Path path = Files.write(folder.resolve("file"), new byte[size]);
    TimelineSemaphore done = new EngineSemaphore(0, () -> {});
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    try (DeviceBuffer buffer = gone.allocate(size, BufferParams.DEVICE);
        DeviceFile file = gone.openFile(path)) {
      stream(gone)
          .setOnIssue(
              (commands, submission) -> {
                late.device.setHeld(true); // only now, since the read begins in the stream, too
                given.add(commands.get(0).host());
              });
      gone.queue(0).read(Fence.NONE, done.at(1), file, 0, buffer, 0, size);
      Threads.await("all chunks to be in the stream", () -> given.size() == StagingPool.CHUNKS);
      Inside.fileStaging(gone)
          .request(
              new StagingPool.User() {
                @Override
                public void use(StagingPool.Loan chunk) {
                  refusal.completeExceptionally(new AssertionError("got " + chunk));
                }

                @Override
                public void refuse(HalException cause) {
                  refusal.complete(cause);
                }
              });
      var ignored = gone.lose(LOST);
      assertEquals(Status.UNAVAILABLE, failure(done).status());
      assertSame(LOST, refusal.get(LONG.toSeconds(), TimeUnit.SECONDS));
    }
  }
}
