// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.Inside;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Quiet;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread closes a file, and where an error of the close is reported. */
@Timeout(60)
class EngineFileTest {
  private final EngineDevice<Event> device = new FakeBackend().open(1, Duration.ofSeconds(20));
  private final CompletableFuture<Thread> closer = new CompletableFuture<>();

  private EngineFile file() {
    return new EngineFile(
        Inside.core(device), new Unclosable(), "file on purpose", true, true, true);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void closingAnUnusedFileThrowsItsError() throws Exception {
    EngineFile file = file();
    HalException failure = assertThrows(HalException.class, file::close);
    assertEquals(Status.ABORTED, failure.status());
    assertEquals(Thread.currentThread(), closer.get(20, TimeUnit.SECONDS));
    file.close();
  }

  /** Closing may take long, and the thread that ends the operation may be one that just waits. */
  @Test
  void aFileThreadClosesWhatAnOperationUsedLast() throws Exception {
    try (Quiet log = new Quiet()) {
      EngineFile file = file();
      file.retain();
      file.close();
      file.release(); // on a user's thread
      String name = closer.get(20, TimeUnit.SECONDS).getName();
      assertTrue(name.contains("-file"), () -> "closed by " + name);
      Threads.await("the error in the log", () -> log.count("file on purpose") == 1);
    }
  }

  /** Notes the thread that closes it, and fails the close. */
  private final class Unclosable extends FileChannel {
    @Override
    protected void implCloseChannel() throws IOException {
      closer.complete(Thread.currentThread());
      throw new IOException("on purpose");
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long size() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer target, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
