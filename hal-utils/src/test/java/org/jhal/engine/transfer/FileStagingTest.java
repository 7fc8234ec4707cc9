package org.jhal.engine.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory that files go through: a few chunks, and nobody waits for one that never comes. */
@Timeout(60)
class FileStagingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int MANY = 20_000; // more than a stack has room for

  private final FakeBackend backend = new FakeBackend();
  private final EngineDevice<Event> device = backend.open(1, LONG);
  private final AtomicInteger makes = new AtomicInteger();
  private volatile int failingMakes; // the first ones
  private volatile boolean refusalsThrow;
  private final FileStaging staging =
      new FileStaging(Inside.core(device)) {
        @Override
        ByteBuffer make() {
          if (makes.incrementAndGet() <= failingMakes) {
            throw new OutOfMemoryError("on purpose");
          }
          return ByteBuffer.allocate(1);
        }
      };

  /** A request, which ends as one of those below. */
  private final class Request implements FileStaging.User {
    final int number;
    volatile @Nullable ByteBuffer chunk;
    volatile @Nullable Throwable refusal;

    Request(int number) {
      this.number = number;
    }

    @Override
    public void use(ByteBuffer given) {
      chunk = given;
      over.add(this);
    }

    @Override
    public void refuse(Throwable cause) {
      refusal = cause;
      over.add(this);
      if (refusalsThrow) {
        throw new IllegalStateException("on purpose");
      }
    }

    ByteBuffer chunk() {
      return Objects.requireNonNull(chunk, () -> "request " + number + ": " + refusal);
    }
  }

  private final LinkedBlockingQueue<Request> over = new LinkedBlockingQueue<>();

  private void request(int count) {
    for (int i = 0; i < count; i++) {
      staging.request(new Request(i));
    }
  }

  /** The next request that is over. */
  private Request next() throws InterruptedException {
    Request next = over.poll(20, TimeUnit.SECONDS);
    assertNotNull(next, "no request was answered within 20 s");
    return next;
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void whoFindsNoneFreeWaitsInTurn() throws Exception {
    request(20);
    List<ByteBuffer> chunks = new ArrayList<>();
    for (int i = 0; i < FileStaging.CHUNKS; i++) {
      chunks.add(next().chunk());
    }
    assertTrue(over.isEmpty(), "a chunk too many was made");
    for (int i = FileStaging.CHUNKS; i < 20; i++) {
      staging.giveBack(chunks.get(i % FileStaging.CHUNKS));
      assertEquals(i, next().number, "who gets a chunk that was given back");
    }
    assertEquals(FileStaging.CHUNKS, makes.get(), "chunks that were made");
  }

  @Test
  void withoutAnyMemoryAllAreRefused() throws Exception {
    failingMakes = Integer.MAX_VALUE;
    request(1000);
    for (int i = 0; i < 1000; i++) {
      Request next = next();
      assertTrue(next.refusal instanceof OutOfMemoryError, () -> "refused with " + next.refusal);
    }
    failingMakes = 0;
    request(FileStaging.CHUNKS);
    for (int i = 0; i < FileStaging.CHUNKS; i++) {
      next().chunk();
    }
  }

  @Test
  void whoWaitsTakesThePlaceOfOneThatFindsNoMemory() throws Exception {
    failingMakes = 3;
    request(10);
    int refused = 0;
    for (int i = 0; i < 3 + FileStaging.CHUNKS; i++) {
      refused += next().refusal != null ? 1 : 0;
    }
    assertEquals(3, refused);
    assertTrue(over.isEmpty(), "a chunk too many was made");
  }

  @Test
  void aClosedDeviceRefusesAll() throws Exception {
    request(MANY);
    List<ByteBuffer> chunks = new ArrayList<>();
    for (int i = 0; i < FileStaging.CHUNKS; i++) {
      chunks.add(next().chunk());
    }
    device.close();
    request(1);
    staging.giveBack(chunks.get(0));
    for (int i = FileStaging.CHUNKS; i < MANY + 1; i++) {
      assertNotNull(next().refusal, "why a request was refused");
    }
  }

  @Test
  void aLostDeviceRefusesWhoWaits() throws Exception {
    request(FileStaging.CHUNKS + 5);
    for (int i = 0; i < FileStaging.CHUNKS; i++) {
      next().chunk();
    }
    HalException cause = device.lose(new HalException(Status.UNAVAILABLE, "on purpose"));
    staging.refuseIfLost();
    for (int i = 0; i < 5; i++) {
      assertEquals(cause, next().refusal);
    }
    request(1);
    assertEquals(cause, next().refusal);
  }

  @Test
  void aUserThatThrowsWhenItIsRefusedTakesNothingFromTheOthers() throws Exception {
    try (Quiet log = new Quiet()) {
      refusalsThrow = true;
      failingMakes = FileStaging.CHUNKS;
      request(2 * FileStaging.CHUNKS); // some find no memory, and the others take their places
      List<ByteBuffer> chunks = new ArrayList<>();
      for (int i = 0; i < 2 * FileStaging.CHUNKS; i++) {
        Request next = next();
        if (next.refusal == null) {
          chunks.add(next.chunk());
        }
      }
      assertEquals(FileStaging.CHUNKS, chunks.size());

      request(5); // they wait
      device.lose(new HalException(Status.UNAVAILABLE, "on purpose"));
      staging.refuseIfLost();
      for (int i = 0; i < 5; i++) {
        assertNotNull(next().refusal, "why a request was refused");
      }
      Threads.await(
          "a line in the log for each", () -> log.count("refused") == FileStaging.CHUNKS + 5);
    }
  }

  @Test
  void aClosedDeviceRefusesWhoWaitsThoughUsersThrow() throws Exception {
    try (Quiet ignored = new Quiet()) {
      refusalsThrow = true;
      request(FileStaging.CHUNKS + 5);
      List<ByteBuffer> chunks = new ArrayList<>();
      for (int i = 0; i < FileStaging.CHUNKS; i++) {
        chunks.add(next().chunk());
      }
      device.close();
      staging.giveBack(chunks.get(0));
      for (int i = 0; i < 5; i++) {
        assertNotNull(next().refusal, "why a request was refused");
      }
    }
  }

  /** The fake device has no memory that can be mapped. */
  @Test
  void withoutPageLockedMemoryOtherMemoryServes(@TempDir Path folder) throws Exception {
    int size = (25 << 20) + 1;
    Path path = Files.write(folder.resolve("file"), new byte[size]);
    try (DeviceBuffer buffer = device.allocate(size, BufferParams.HOST);
        TimelineSemaphore done = device.createSemaphore(0);
        DeviceFile file = device.openFile(path)) {
      int before = backend.liveMemory.get();
      for (int i = 1; i <= 10; i++) {
        device.queue(0).read(Fence.NONE, done.at(i), file, 0, buffer, 0, size);
      }
      done.await(10, LONG);
      Threads.await("all to retire", () -> device.statistics().openOperations() == 0);
      assertTrue(
          backend.liveMemory.get() <= before + FileStaging.CHUNKS, "memory for files is bounded");
    }
    device.close();
    assertEquals(0, backend.liveMemory.get(), "memory after closing");
  }
}
