// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jhal.BufferParams;
import org.jhal.DeviceBuffer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Status;
import org.jhal.TimelineSemaphore;
import org.jhal.driver.Command;
import org.jhal.engine.EngineDevice;
import org.jhal.engine.FakeBackend;
import org.jhal.engine.queue.FakeStream;
import org.jhal.engine.queue.FakeStream.Event;
import org.jhal.engine.queue.Threads;
import org.junit.jupiter.api.AfterEach;

/** Tests with a device that goes on writing host memory of failed transfers. */
public abstract class LateWrites {
  protected static final Duration LONG = Duration.ofSeconds(20);
  protected static final int BLOCK = 4 << 20;
  protected static final byte SOUND = 7;
  protected static final byte LATE = 0x66;
  protected static final HalException LOST = new HalException(Status.UNAVAILABLE, "on purpose");
  protected static final HalException PLAIN = new HalException(Status.ABORTED, "on purpose");

  protected final FakeBackend late = new FakeBackend();
  protected final EngineDevice<Event> here = new FakeBackend().open(1, LONG);
  protected final EngineDevice<Event> sound = new FakeBackend().open(1, LONG);
  protected final EngineDevice<Event> gone = late.open(1, LONG);

  /** The memory that the held device was given to write to. */
  protected final ConcurrentLinkedQueue<HostMemory> given = new ConcurrentLinkedQueue<>();

  @AfterEach
  protected void close() {
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
  protected void release() {
    late.device.setHeld(false);
    for (FakeStream stream : late.streams) {
      boolean runs = true;
      while (runs) {
        runs = stream.advance();
      }
    }
  }

  protected static byte[] filled(int length, byte value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }

  protected static void fill(HostMemory memory, byte value) {
    memory.write(0, ByteBuffer.wrap(filled((int) memory.size(), value)));
  }

  /** Holds the streams of {@link #gone}, and notes the memory that each readback writes to. */
  protected void hold() {
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
  protected void checkCopies() throws Exception {
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

  protected static FakeStream stream(EngineDevice<Event> device) {
    return ((FakeBackend) device.backend()).streams.get(0);
  }

  protected static HalException failure(TimelineSemaphore done) {
    return assertThrows(HalException.class, () -> done.await(1, LONG));
  }
}
