// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceFile;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.Threads;
import org.jhal.engine.timeline.EngineSemaphore;
import org.jhal.engine.transfer.StagingPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device goes on writing host memory of a failed transfer, so no other transfer gets that memory
 * (rules G4, Q2). Collectives have such tests of their own.
 */
@Timeout(60)
class LateWriteTest extends LateWrites {
  private static final byte OLD = 0x11;

  /** How long we watch for memory that is given away too early. */
  private static final long CHANCE_MILLIS = 50;

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
