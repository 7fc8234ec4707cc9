package org.jhal.driver.gpu;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;

/**
 * A native stream with two page-locked chunks: the host copies one while the device copies the
 * other.
 *
 * <p>Used by one thread at a time, with the device bound.
 *
 * @param <S> the native stream
 * @param <E> the native event
 */
final class TransferLane<S, E> {
  static final int CHUNK_BYTES = 2 << 20;
  private static final int CHUNKS = 2;

  private final GpuRuntime<S, E, ?> runtime;
  private final S stream;
  private final List<HostBlock> chunks = new ArrayList<>();
  private final List<E> events = new ArrayList<>();
  private final boolean[] isUnderWay = new boolean[CHUNKS]; // copies that were not waited for yet

  TransferLane(GpuRuntime<S, E, ?> runtime) {
    this.runtime = runtime;
    this.stream = runtime.createStream();
    try {
      for (int i = 0; i < CHUNKS; i++) {
        events.add(runtime.createEvent(true));
        chunks.add(new HostBlock(runtime, CHUNK_BYTES));
      }
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  /** The bytes of chunk {@code index}, from 0 to {@code size}. */
  ByteBuffer bytes(int index, int size) {
    return chunks.get(index).view(0, size);
  }

  /** Starts to copy a chunk to the device. */
  void write(int index, long target, int size) {
    runtime.copyToDevice(stream, target, chunks.get(index).hostAddress(), size);
    record(index);
  }

  /** Starts to copy from the device to a chunk. */
  void read(int index, long source, int size) {
    runtime.copyToHost(stream, chunks.get(index).hostAddress(), source, size);
    record(index);
  }

  private void record(int index) {
    runtime.recordEvent(events.get(index), stream);
    isUnderWay[index] = true;
  }

  /** Waits until the last copy of a chunk, if there was one, is over. */
  void await(int index) {
    if (isUnderWay[index]) {
      runtime.synchronizeEvent(events.get(index));
      isUnderWay[index] = false;
    }
  }

  /** Waits until nothing uses the chunks; returns false if that is not known. */
  boolean settle() {
    isUnderWay[0] = false;
    isUnderWay[1] = false;
    try {
      runtime.synchronizeStream(stream);
      return true;
    } catch (HalException e) {
      return false;
    }
  }

  void close() {
    chunks.forEach(HostBlock::release);
    events.forEach(runtime::destroyEvent);
    runtime.destroyStream(stream);
  }
}
