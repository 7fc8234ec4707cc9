// SPDX-License-Identifier: Apache-2.0
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
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.base.HostCompletionPool;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.transfer.StagingPool.Loan;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A few chunks that are shared in turn: no user waits for one that never comes. */
@Timeout(60)
class StagingPoolTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int MANY = 20_000; // more than a stack has room for

  private final FakeBackend backend = new FakeBackend();
  private final EngineDevice<Event> device = backend.open(1, LONG);
  private final AtomicInteger makes = new AtomicInteger();
  private volatile int failingMakes; // the first ones
  private final StagingPool staging =
      new StagingPool(Inside.core(device), true) {
        @Override
        ByteBuffer make() {
          if (makes.incrementAndGet() <= failingMakes) {
            throw new HalException(Status.RESOURCE_EXHAUSTED, "on purpose");
          }
          return ByteBuffer.allocate(1);
        }
      };

  /** A request, which ends as one of those below. */
  private final class Request implements StagingPool.User {
    final int number;
    volatile @Nullable Loan chunk;
    volatile @Nullable HalException refusal;

    Request(int number) {
      this.number = number;
    }

    @Override
    public void use(Loan given) {
      chunk = given;
      over.add(this);
    }

    @Override
    public void refuse(HalException cause) {
      refusal = cause;
      over.add(this);
    }

    Loan chunk() {
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

  /** The chunk of the next request that is over, which must be this one. */
  private Loan nextLoan(int number) throws InterruptedException {
    Request next = next();
    assertEquals(number, next.number, "the user that gets the returned chunk");
    return next.chunk();
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void lanesWithoutAFreeChunkWaitInTurn() throws Exception {
    request(20);
    List<Loan> chunks = new ArrayList<>();
    for (int i = 0; i < StagingPool.CHUNKS; i++) {
      chunks.add(next().chunk());
    }
    assertTrue(over.isEmpty(), "a chunk too many was made");
    for (int i = StagingPool.CHUNKS; i < 20; i++) {
      chunks.get(i % StagingPool.CHUNKS).end();
      chunks.set(i % StagingPool.CHUNKS, nextLoan(i));
    }
    assertEquals(StagingPool.CHUNKS, makes.get(), "chunks that were made");
  }

  @Test
  void withoutAnyMemoryAllAreRefused() throws Exception {
    failingMakes = Integer.MAX_VALUE;
    request(1000);
    for (int i = 0; i < 1000; i++) {
      HalException refusal = Objects.requireNonNull(next().refusal, "a chunk was made");
      assertEquals(Status.RESOURCE_EXHAUSTED, refusal.status());
    }
    failingMakes = 0;
    request(StagingPool.CHUNKS);
    for (int i = 0; i < StagingPool.CHUNKS; i++) {
      next().chunk();
    }
  }

  @Test
  void aWaiterTakesThePlaceOfALaneThatFindsNoMemory() throws Exception {
    failingMakes = 3;
    request(10);
    int refused = 0;
    for (int i = 0; i < 3 + StagingPool.CHUNKS; i++) {
      refused += next().refusal != null ? 1 : 0;
    }
    assertEquals(3, refused);
    assertTrue(over.isEmpty(), "a chunk too many was made");
  }

  @Test
  void aClosedDeviceRefusesAll() throws Exception {
    request(MANY);
    List<Loan> chunks = new ArrayList<>();
    for (int i = 0; i < StagingPool.CHUNKS; i++) {
      chunks.add(next().chunk());
    }
    device.close();
    request(1);
    chunks.get(0).end();
    for (int i = StagingPool.CHUNKS; i < MANY + 1; i++) {
      assertNotNull(next().refusal, "why a request was refused");
    }
  }

  @Test
  void aLostDeviceRefusesWhoWaits() throws Exception {
    request(StagingPool.CHUNKS + 5);
    for (int i = 0; i < StagingPool.CHUNKS; i++) {
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
  void aChunkComesBackWhenNoTransferUsesIt() throws Exception {
    request(StagingPool.CHUNKS + 1);
    Loan used = next().chunk();
    HostMemory.Borrow borrow = used.memory(1).borrow();
    used.end();
    for (int i = 1; i < StagingPool.CHUNKS; i++) {
      next().chunk();
    }
    assertTrue(over.isEmpty(), "a chunk was given away while it was in use");
    borrow.end();
    Loan again = nextLoan(StagingPool.CHUNKS);
    used.end(); // does nothing: another one has it
    request(1);
    assertTrue(over.isEmpty(), "a chunk was given away twice");
    again.end();
    next().chunk();
  }

  /** Rule E2: others that wait might never get a chunk. */
  @Test
  void anErrorWhileAChunkComesBackLosesTheDevice() throws Exception {
    try (Quiet ignored = new Quiet()) {
      request(StagingPool.CHUNKS);
      Loan used = next().chunk();
      HostMemory.Borrow borrow = used.memory(1).borrow();
      used.end();
      staging.request(
          new StagingPool.User() {
            @Override
            public void use(Loan loan) {
              throw new AssertionError("no thread runs this");
            }

            @Override
            public void refuse(HalException cause) {
              throw new StackOverflowError("on purpose");
            }
          });
      Inside.core(device).pools().all().forEach(HostCompletionPool::close);
      borrow.end();
      assertNotNull(device.lostCause(), "whether the device is lost");
    }
  }

  /** The transfer that uses it may never end. */
  @Test
  void aChunkThatALostDeviceKeepsRefusesWhoWaits() throws Exception {
    request(StagingPool.CHUNKS + 1);
    Loan kept = next().chunk();
    for (int i = 1; i < StagingPool.CHUNKS; i++) {
      next().chunk();
    }
    HostMemory.Borrow borrow = kept.memory(1).borrow();
    HalException cause = device.lose(new HalException(Status.UNAVAILABLE, "on purpose"));
    kept.end();
    assertEquals(cause, next().refusal);
    borrow.end();
  }

  /** The fake device has no memory that can be mapped. */
  @Test
  void withoutPinnedMemoryOtherMemoryServes(@TempDir Path folder) throws Exception {
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
          backend.liveMemory.get() <= before + StagingPool.CHUNKS, "memory for files is bounded");
    }
    device.close();
    assertEquals(0, backend.liveMemory.get(), "memory after closing");
  }
}
