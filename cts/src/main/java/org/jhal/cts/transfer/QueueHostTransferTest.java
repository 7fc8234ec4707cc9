// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.bytes;
import static org.jhal.cts.support.TestData.filled;
import static org.jhal.cts.support.Waits.awaitReached;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HostCall.Mode;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.TransferCases;
import org.jhal.cts.support.Waits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads from and readbacks to each kind of host memory. */
@CtsSuite
class QueueHostTransferTest {
  /** Where the host's bytes are. */
  enum Place {
    HEAP(ByteBuffer::allocate),
    DIRECT(ByteBuffer::allocateDirect);

    private final IntFunction<ByteBuffer> allocate;

    Place(IntFunction<ByteBuffer> allocate) {
      this.allocate = allocate;
    }

    /** A byte buffer around a range, with position and limit at its ends. */
    ByteBuffer around(byte[] all, int offset, int length) {
      return allocate.apply(all.length).put(all).position(offset).limit(offset + length);
    }
  }

  private static byte[] all(ByteBuffer buffer) {
    byte[] content = new byte[buffer.capacity()];
    buffer.duplicate().clear().get(content);
    return content;
  }

  static Stream<Arguments> classes() {
    return TransferCases.copyClasses()
        .flatMap(one -> Stream.of(Place.values()).map(place -> Arguments.of(place, one)));
  }

  @ParameterizedTest
  @MethodSource("classes")
  @Rule("M2")
  void uploadsEachClassOfSizeAndAlignment(Place place, TransferCases.Copy copy, Cts cts) {
    DeviceBuffer target = cts.buffer(copy.before());
    ByteBuffer source = place.around(copy.source(), copy.sourceOffset(), copy.length());
    TimelineSemaphore done = cts.semaphore();
    cts.queue().upload(Fence.NONE, done.at(1), source, target, copy.targetOffset());
    awaitReached(done, 1);
    assertBytes(copy.after(), cts.read(target), "the buffer");
    assertBytes(copy.source(), all(source), "the host's memory");
  }

  @ParameterizedTest
  @MethodSource("classes")
  @Rule("M2")
  void readsBackEachClassOfSizeAndAlignment(Place place, TransferCases.Copy copy, Cts cts) {
    DeviceBuffer source = cts.buffer(copy.source());
    ByteBuffer target = place.around(copy.before(), copy.targetOffset(), copy.length());
    TimelineSemaphore done = cts.semaphore();
    cts.queue().readback(Fence.NONE, done.at(1), source, copy.sourceOffset(), target);
    awaitReached(done, 1);
    assertBytes(copy.after(), all(target), "the host's memory");
    assertBytes(copy.source(), cts.read(source), "the buffer");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        (256 << 10) - 1,
        256 << 10,
        (256 << 10) + 1,
        1 << 20,
        (4 << 20) - 1,
        4 << 20,
        (4 << 20) + 1,
        (40 << 20) + 3
      })
  @Rule("M2")
  void largeTransfersAreExact(int length, Cts cts) {
    for (Place place : Place.values()) {
      DeviceBuffer buffer = cts.buffer(length);
      ByteBuffer source = place.around(bytes(length), 0, length);
      ByteBuffer target = place.around(filled(length, 0), 0, length);
      TimelineSemaphore done = cts.semaphore();
      cts.queue().upload(Fence.NONE, done.at(1), source, buffer, 0);
      cts.queue().readback(done.at(1), done.at(2), buffer, 0, target);
      awaitReached(done, 2);
      assertBytes(bytes(length), all(target), "the bytes that came back to the " + place);
      buffer.close();
    }
  }

  /** An array of each type that holds {@code bytes(48)}, and a new one of the same length. */
  private record ArrayPair(String name, HostMemory full, HostMemory empty, Object emptyArray) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static ByteBuffer content() {
    return ByteBuffer.wrap(bytes(48)).order(ByteOrder.nativeOrder());
  }

  private static <T> ArrayPair arrays(String name, T full, T empty, Function<T, HostMemory> of) {
    return new ArrayPair(name, of.apply(full), of.apply(empty), empty);
  }

  static Stream<Object> arrayTypes() {
    short[] shorts = new short[24];
    content().asShortBuffer().get(shorts);
    int[] ints = new int[12];
    content().asIntBuffer().get(ints);
    long[] longs = new long[6];
    content().asLongBuffer().get(longs);
    float[] floats = new float[12];
    content().asFloatBuffer().get(floats);
    double[] doubles = new double[6];
    content().asDoubleBuffer().get(doubles);
    return Stream.of(
        arrays("byte[]", bytes(48), new byte[48], HostMemory::of),
        arrays("short[]", shorts, new short[24], HostMemory::of),
        arrays("int[]", ints, new int[12], HostMemory::of),
        arrays("long[]", longs, new long[6], HostMemory::of),
        arrays("float[]", floats, new float[12], HostMemory::of),
        arrays("double[]", doubles, new double[6], HostMemory::of));
  }

  private static byte[] contentOf(Object array) {
    ByteBuffer bytes = ByteBuffer.allocate(48).order(ByteOrder.nativeOrder());
    if (array instanceof byte[] values) {
      bytes.put(values);
    } else if (array instanceof short[] values) {
      bytes.asShortBuffer().put(values);
    } else if (array instanceof int[] values) {
      bytes.asIntBuffer().put(values);
    } else if (array instanceof long[] values) {
      bytes.asLongBuffer().put(values);
    } else if (array instanceof float[] values) {
      bytes.asFloatBuffer().put(values);
    } else {
      bytes.asDoubleBuffer().put((double[]) array);
    }
    return bytes.array();
  }

  @ParameterizedTest
  @MethodSource("arrayTypes")
  @Rule({"Q2", "M2"})
  void arraysOfEachTypeAreUploadedAndReadBack(Object type, Cts cts) {
    ArrayPair arrays = (ArrayPair) type;
    DeviceBuffer buffer = cts.buffer(filled(56, 0));
    TimelineSemaphore done = cts.semaphore();
    cts.queue().upload(Fence.NONE, done.at(1), arrays.full(), buffer, 5);
    cts.queue().readback(done.at(1), done.at(2), buffer, 5, arrays.empty());
    awaitReached(done, 2);
    assertBytes(TestData.with(filled(56, 0), 5, bytes(48)), cts.read(buffer), "the buffer");
    assertBytes(bytes(48), contentOf(arrays.emptyArray()), "the array that was read into");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("M2")
  void aReadOnlySourceIsAccepted(Place place, Cts cts) {
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    ByteBuffer source = place.around(bytes(16), 0, 16).asReadOnlyBuffer();
    cts.queue().upload(Fence.NONE, done.at(1), source, buffer, 0);
    awaitReached(done, 1);
    assertBytes(bytes(16), cts.read(buffer), "uploaded from read-only memory");
  }

  @Test
  @Rule({"Q2", "M2"})
  void theByteOrderOfAByteBufferIsIgnored(Cts cts) {
    DeviceBuffer buffer = cts.buffer(16);
    TimelineSemaphore done = cts.semaphore();
    ByteBuffer source = TestData.direct(bytes(16)).order(ByteOrder.BIG_ENDIAN);
    ByteBuffer target = ByteBuffer.allocateDirect(16).order(ByteOrder.BIG_ENDIAN);
    cts.queue().upload(Fence.NONE, done.at(1), source, buffer, 0);
    cts.queue().readback(done.at(1), done.at(2), buffer, 0, target);
    awaitReached(done, 2);
    assertBytes(bytes(16), all(target), "the bytes");
  }

  @Test
  @Rule({"M2", "Q1"})
  void manyHostTransfersMayBeInFlight(Cts cts) {
    int count = 200;
    int size = 1000;
    DeviceBuffer buffer = cts.buffer((long) count * size);
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    byte[][] read = new byte[count][size];
    for (int i = 0; i < count; i++) {
      ends[i] = cts.semaphore();
      ByteBuffer source = (i % 2 == 0 ? Place.HEAP : Place.DIRECT).around(filled(size, i), 0, size);
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      queue.upload(Fence.NONE, ends[i].at(1), source, buffer, (long) size * i);
      queue.readback(
          ends[i].at(1), ends[i].at(2), buffer, (long) size * i, ByteBuffer.wrap(read[i]));
    }
    Arrays.stream(ends).forEach(end -> awaitReached(end, 2));
    for (int i = 0; i < count; i++) {
      assertBytes(filled(size, i), read[i], "transfer " + i);
    }
  }

  /**
   * Transfers of different sizes, in both directions and on all queues, which together exceed any
   * staging memory.
   */
  @Test
  @Rule({"K7", "M2", "Q1"})
  void largeTransfersBothWaysShareTheDevice(Cts cts) {
    int count = 12;
    int largest = (6 << 20) + 4;
    DeviceBuffer buffer = cts.buffer((long) count * largest);
    TimelineSemaphore go = cts.semaphore();
    TimelineSemaphore[] ends = new TimelineSemaphore[count];
    float[][] sources = new float[count][];
    float[][] targets = new float[count][];
    for (int i = 0; i < count; i++) {
      sources[i] = new float[(largest >> (i % 4)) / 4];
      targets[i] = new float[sources[i].length];
      for (int at = 0; at < sources[i].length; at++) {
        sources[i][at] = at + i;
      }
      ends[i] = cts.semaphore();
      DeviceQueue queue = cts.queue(i % cts.device().queueCount());
      long offset = (long) i * largest;
      queue.upload(go.at(1), ends[i].at(1), HostMemory.of(sources[i]), buffer, offset);
      queue.readback(ends[i].at(1), ends[i].at(2), buffer, offset, HostMemory.of(targets[i]));
    }
    go.signal(1);
    Arrays.stream(ends).forEach(end -> awaitReached(end, 2));
    for (int i = 0; i < count; i++) {
      assertArrayEquals(sources[i], targets[i], "transfer " + i);
    }
  }

  /** In each chain, a transfer waits for a host call, and the next host call for the transfer. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"K7", "Q4"})
  void transfersAndHostCallsMayDependOnOneAnother(boolean isUpload, Cts cts) {
    int chains = 4; // as many as there are threads for host calls
    int length = 10;
    DeviceQueue calls = cts.queue(0);
    DeviceQueue transfers = cts.queue(cts.device().queueCount() - 1);
    TimelineSemaphore[] ends = new TimelineSemaphore[chains];
    for (int chain = 0; chain < chains; chain++) {
      TimelineSemaphore called = cts.semaphore();
      TimelineSemaphore moved = cts.semaphore();
      ends[chain] = moved;
      DeviceBuffer buffer = cts.buffer(512 << 10);
      for (int i = 1; i <= length; i++) {
        int before = i - 1;
        ByteBuffer memory = ByteBuffer.allocate(512 << 10);
        if (isUpload) {
          transfers.upload(called.at(i), moved.at(i), memory, buffer, 0);
        } else {
          transfers.readback(called.at(i), moved.at(i), buffer, 0, memory);
        }
        calls.hostCall(
            before == 0 ? Fence.NONE : called.at(before),
            called.at(i),
            Mode.BLOCKING,
            call -> moved.await(before, Waits.LIMIT));
      }
    }
    Arrays.stream(ends).forEach(end -> awaitReached(end, length));
  }
}
