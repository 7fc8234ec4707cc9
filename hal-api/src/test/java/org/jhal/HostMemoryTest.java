// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.ShortBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jhal.spi.HostRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of host memory of every kind, and rule Q2: the range is captured. */
class HostMemoryTest {
  private static final int BYTES = 48;

  /** A kind of host memory of {@link #BYTES} bytes that are all zero. */
  record Kind(String name, int elementBytes, HostMemory memory) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Kind> kinds() {
    ByteBuffer middle = ByteBuffer.allocate(BYTES + 7).position(3).limit(BYTES + 3);
    return Stream.of(
        new Kind("byte[]", 1, HostMemory.of(new byte[BYTES])),
        new Kind("short[]", 2, HostMemory.of(new short[BYTES / 2])),
        new Kind("int[]", 4, HostMemory.of(new int[BYTES / 4])),
        new Kind("long[]", 8, HostMemory.of(new long[BYTES / 8])),
        new Kind("float[]", 4, HostMemory.of(new float[BYTES / 4])),
        new Kind("double[]", 8, HostMemory.of(new double[BYTES / 8])),
        new Kind("heap buffer", 1, HostMemory.of(ByteBuffer.allocate(BYTES))),
        new Kind("direct buffer", 1, HostMemory.of(ByteBuffer.allocateDirect(BYTES))),
        new Kind("part of a buffer", 1, HostMemory.of(middle)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void writesAndReadsBackEveryRange(Kind kind) {
    int step = kind.elementBytes();
    byte[] expected = new byte[BYTES];
    byte next = 1;
    for (int offset = 0; offset <= BYTES; offset += step) {
      for (int length = 0; length <= BYTES - offset; length += step) {
        ByteBuffer source = someBuffer(length, offset);
        for (int i = 0; i < length; i++) {
          expected[offset + i] = next;
          source.put(source.position() + i, next++);
        }
        int end = source.limit();
        kind.memory().write(offset, source);
        assertEquals(end, source.position(), "position of the source");

        ByteBuffer target = someBuffer(length, offset + 1);
        int start = target.position();
        kind.memory().read(offset, target);
        assertEquals(target.limit(), target.position(), "position of the target");
        for (int i = 0; i < length; i++) {
          assertEquals(expected[offset + i], target.get(start + i), "byte " + (offset + i));
        }
        assertArrayEquals(expected, all(kind.memory()), "bytes outside the range");
      }
    }
    assertEquals(BYTES, kind.memory().size());
    assertTrue(kind.memory().isWritable());
  }

  /** A buffer with {@code length} bytes left; {@code flavour} decides where and of which kind. */
  private static ByteBuffer someBuffer(int length, int flavour) {
    int before = flavour % 3;
    ByteBuffer buffer =
        flavour % 2 == 0
            ? ByteBuffer.allocate(before + length + 5)
            : ByteBuffer.allocateDirect(before + length + 5);
    buffer.order(flavour % 4 < 2 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    return buffer.position(before).limit(before + length);
  }

  private static byte[] all(HostMemory memory) {
    byte[] bytes = new byte[(int) memory.size()];
    memory.read(0, ByteBuffer.wrap(bytes));
    return bytes;
  }

  @Test
  void arraysHaveNativeByteOrder() {
    ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());

    HostMemory.of(new short[] {0x0102}).read(0, bytes.clear().limit(2));
    assertEquals(0x0102, bytes.getShort(0));
    HostMemory.of(new int[] {0x01020304}).read(0, bytes.clear().limit(4));
    assertEquals(0x01020304, bytes.getInt(0));
    HostMemory.of(new long[] {0x0102030405060708L}).read(0, bytes.clear());
    assertEquals(0x0102030405060708L, bytes.getLong(0));
    HostMemory.of(new float[] {1.5f}).read(0, bytes.clear().limit(4));
    assertEquals(1.5f, bytes.getFloat(0));
    HostMemory.of(new double[] {-2.5}).read(0, bytes.clear());
    assertEquals(-2.5, bytes.getDouble(0));

    int[] target = {0, 0};
    bytes.clear();
    bytes.putInt(0, 42).limit(4);
    HostMemory.of(target).write(4, bytes);
    assertArrayEquals(new int[] {0, 42}, target);
  }

  /** Typed buffers of both orders, on the heap and not. */
  @Test
  void elementsOfTypedBuffersArriveInNativeByteOrder() {
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      for (boolean isDirect : new boolean[] {false, true}) {
        ByteBuffer bytes = ByteBuffer.allocate(32).order(order);
        if (isDirect) {
          bytes = ByteBuffer.allocateDirect(32).order(order);
        }
        ShortBuffer shorts = bytes.asShortBuffer().put(1, (short) 1).put(2, (short) 2);
        check(HostMemory.of(shorts.position(1).limit(3)), 2, isDirect, order);
        assertEquals(7, shorts.get(2));
        IntBuffer ints = bytes.asIntBuffer().put(1, 1).put(2, 2);
        check(HostMemory.of(ints.position(1).limit(3)), 4, isDirect, order);
        assertEquals(7, ints.get(2));
        LongBuffer longs = bytes.asLongBuffer().put(1, 1).put(2, 2);
        check(HostMemory.of(longs.position(1).limit(3)), 8, isDirect, order);
        assertEquals(7, longs.get(2));
        FloatBuffer floats = bytes.asFloatBuffer().put(1, Float.intBitsToFloat(1));
        floats.put(2, Float.intBitsToFloat(2));
        check(HostMemory.of(floats.position(1).limit(3)), 4, isDirect, order);
        assertEquals(7, Float.floatToRawIntBits(floats.get(2)));
        DoubleBuffer doubles = bytes.asDoubleBuffer().put(1, Double.longBitsToDouble(1));
        doubles.put(2, Double.longBitsToDouble(2));
        check(HostMemory.of(doubles.position(1).limit(3)), 8, isDirect, order);
        assertEquals(7, Double.doubleToRawLongBits(doubles.get(2)));
      }
    }
  }

  /** The bits of the two elements must be 1 and 2; those of the second become 7. */
  private static void check(
      HostMemory memory, int elementBytes, boolean isDirect, ByteOrder order) {
    assertEquals(2 * elementBytes, memory.size());
    assertEquals(!isDirect, memory.isOnHeap());
    assertEquals(isDirect && order == ByteOrder.nativeOrder(), memory.direct() != null);
    byte[] expected = new byte[2 * elementBytes];
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    expected[isLittle ? 0 : elementBytes - 1] = 1;
    expected[elementBytes + (isLittle ? 0 : elementBytes - 1)] = 2;
    assertArrayEquals(expected, all(memory));
    byte[] seven = new byte[elementBytes];
    seven[isLittle ? 0 : elementBytes - 1] = 7;
    memory.write(elementBytes, ByteBuffer.wrap(seven));
  }

  @Test
  void aPartOfAnArrayIsARange() {
    int[] ints = {1, 2, 3, 4};
    HostMemory part = HostMemory.of(ints, 1, 2);
    assertEquals(8, part.size());
    part.write(4, ByteBuffer.wrap(new byte[4]));
    assertArrayEquals(new int[] {1, 2, 0, 4}, ints);
    assertEquals(3, HostMemory.of(new byte[4], 1, 3).size());
    assertEquals(4, HostMemory.of(new short[4], 0, 2).size());
    assertEquals(0, HostMemory.of(new long[4], 4, 0).size());
    assertEquals(8, HostMemory.of(new float[4], 2, 2).size());
    assertEquals(8, HostMemory.of(new double[4], 3, 1).size());
    for (int[] range : new int[][] {{-1, 2}, {0, 5}, {4, 1}, {1, -1}, {2, Integer.MAX_VALUE}}) {
      HalException refused =
          assertThrows(HalException.class, () -> HostMemory.of(new byte[4], range[0], range[1]));
      assertEquals(Status.OUT_OF_RANGE, refused.status());
      assertEquals(
          range[1] + " elements from index " + range[0] + " of an array of 4",
          refused.getMessage());
    }
  }

  @Test
  void writesThroughToTheMemoryOfTheCaller() {
    byte[] array = new byte[4];
    ByteBuffer buffer = ByteBuffer.allocateDirect(8).position(2).limit(6);

    HostMemory.of(array).write(1, ByteBuffer.wrap(new byte[] {7}));
    HostMemory.of(buffer).write(1, ByteBuffer.wrap(new byte[] {8}));

    assertArrayEquals(new byte[] {0, 7, 0, 0}, array);
    assertEquals(8, buffer.get(3));
  }

  @Test
  void positionAndLimitAreCapturedAndNeverChanged() {
    ByteBuffer buffer = ByteBuffer.allocate(16).position(4).limit(12);
    HostMemory memory = HostMemory.of(buffer);
    buffer.clear();

    assertEquals(8, memory.size());
    memory.write(0, ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    all(memory);

    assertEquals(0, buffer.position());
    assertEquals(16, buffer.limit());
    assertEquals(0, buffer.get(3));
    assertEquals(1, buffer.get(4));
    assertEquals(8, buffer.get(11));
    assertEquals(0, buffer.get(12));
  }

  @Test
  void readOnlyMemoryCanOnlyBeRead() {
    HostMemory memory = HostMemory.of(ByteBuffer.wrap(new byte[] {1, 2}).asReadOnlyBuffer());

    assertFalse(memory.isWritable());
    assertArrayEquals(new byte[] {1, 2}, all(memory));
    assertThrows(
        ReadOnlyBufferException.class, () -> memory.write(0, ByteBuffer.wrap(new byte[1])));
    assertArrayEquals(new byte[] {1, 2}, all(memory));
  }

  @Test
  void onlyADirectBufferHasAnAddress() {
    ByteBuffer direct = ByteBuffer.allocateDirect(8).position(2).limit(6);
    direct.put(2, (byte) 9);

    ByteBuffer view = assertInstanceOf(ByteBuffer.class, HostMemory.of(direct).direct());

    assertEquals(0, view.position());
    assertEquals(4, view.remaining());
    assertEquals(9, view.get(0));
    assertFalse(HostMemory.of(direct).isOnHeap());
    assertTrue(HostMemory.of(new byte[8]).isOnHeap());
    assertNull(HostMemory.of(ByteBuffer.allocate(8)).direct());
    assertNull(HostMemory.of(new byte[8]).direct());
    assertNull(HostMemory.of(new long[8]).direct());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void rangesThatDoNotFitAreRejected(Kind kind) {
    int step = kind.elementBytes();
    HostMemory memory = kind.memory();

    for (long offset : new long[] {-step, BYTES, Long.MAX_VALUE - step + 1, Long.MIN_VALUE}) {
      assertThrows(
          IndexOutOfBoundsException.class, () -> memory.read(offset, ByteBuffer.allocate(step)));
      assertThrows(
          IndexOutOfBoundsException.class, () -> memory.write(offset, ByteBuffer.allocate(step)));
    }
    assertThrows(
        IndexOutOfBoundsException.class, () -> memory.read(0, ByteBuffer.allocate(BYTES + step)));
  }

  static final int[] ARRAY_ELEMENT_BYTES = {2, 4, 8};

  @ParameterizedTest(name = "elements of {0} bytes")
  @FieldSource("ARRAY_ELEMENT_BYTES")
  void refusesToSplitElements(int step) {
    HostMemory memory =
        step == 2
            ? HostMemory.of(new short[8])
            : step == 4 ? HostMemory.of(new float[8]) : HostMemory.of(new double[8]);

    HalException offset =
        assertThrows(HalException.class, () -> memory.read(1, ByteBuffer.allocate(step)));
    HalException length =
        assertThrows(HalException.class, () -> memory.write(0, ByteBuffer.allocate(step + 1)));

    assertEquals(Status.INVALID_ARGUMENT, offset.status());
    assertEquals(
        "offset 1, length " + step + ": elements have " + step + " bytes", offset.getMessage());
    assertEquals(Status.INVALID_ARGUMENT, length.status());
  }

  @Test
  void theWatcherIsToldBeforeTheProgramGoesOn() throws InterruptedException {
    HostMemory memory = HostMemory.of(new byte[4]);
    List<String> calls = new ArrayList<>();
    memory.watch(() -> calls.add("seen"));
    HostMemory.Borrow borrow = memory.borrow();
    assertTrue(memory.isBorrowed());
    memory.onFree(() -> calls.add("callback"));
    assertFalse(borrow.hasEnded());
    assertEquals(List.of(), calls);
    borrow.end();
    assertTrue(borrow.hasEnded());
    assertEquals(List.of("seen", "callback"), calls);
    calls.clear();
    assertFalse(memory.isBorrowed());
    assertEquals(List.of("seen"), calls);
    calls.clear();
    memory.awaitFree();
    assertEquals("seen", calls.get(0));
  }

  @Test
  void theBaseIsTheArray() {
    float[] array = new float[10];
    HostMemory part = HostMemory.of(array, 3, 4);
    assertSame(array, part.base());
    assertEquals(12, part.baseOffset());
    ByteBuffer slice = ByteBuffer.wrap(new byte[10], 2, 8).slice().position(1);
    assertSame(slice.array(), HostMemory.of(slice).base());
    assertEquals(3, HostMemory.of(slice).baseOffset());
    for (ByteBuffer other : List.of(ByteBuffer.allocateDirect(8), slice.asReadOnlyBuffer())) {
      HostMemory memory = HostMemory.of(other);
      assertSame(memory, memory.base());
      assertEquals(0, memory.baseOffset());
    }
  }

  /** The memory is free at once, whenever the callbacks run. */
  @Test
  void anExecutorRunsTheCallbacks() {
    HostMemory memory = HostMemory.of(new byte[4]);
    HostMemory.Borrow first = memory.borrow();
    HostMemory.Borrow second = memory.borrow();
    List<String> calls = new ArrayList<>();
    List<Runnable> tasks = new ArrayList<>();
    memory.onFree(() -> calls.add("one"));
    Registration ignoredToo = memory.onFree(() -> calls.add("two"));
    first.end(tasks::add);
    assertEquals(0, tasks.size());
    second.end(tasks::add);
    second.end(tasks::add);
    assertEquals(1, tasks.size());
    assertFalse(memory.isBorrowed());
    assertEquals(List.of(), calls);
    tasks.get(0).run();
    assertEquals(List.of("one", "two"), calls);
  }

  /** Nothing is to run if nobody has asked for it. */
  @Test
  void withoutCallbacksTheExecutorGetsNothing() {
    HostMemory memory = HostMemory.of(new byte[4]);
    HostMemory.Borrow borrow = memory.borrow();
    memory.onFree(() -> {}).cancel();
    borrow.end(
        task -> {
          throw new AssertionError("nothing to run");
        });
    assertFalse(memory.isBorrowed());
  }

  /** An exception of a callback is dropped, even if it cannot be logged (rule S7). */
  @Test
  void aCallbackWhoseExceptionCannotBeLoggedDoesNotAffectOthers() {
    HostMemory memory = HostMemory.of(new byte[4]);
    AtomicInteger called = new AtomicInteger();
    HostMemory.Borrow borrow = memory.borrow();
    memory.onFree(
        () -> {
          throw new MuteException();
        });
    memory.onFree(called::incrementAndGet);
    borrow.end();
    assertEquals(1, called.get());
    memory.onFree(
        () -> {
          throw new MuteException();
        });
  }

  /** This would take an hour if each call copied or searched all callbacks. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesAndCancelsVeryManyCallbacks(boolean isLastFirst) {
    int count = 1_000_000;
    HostMemory memory = HostMemory.of(new byte[4]);
    AtomicInteger called = new AtomicInteger();
    HostMemory.Borrow borrow = memory.borrow();
    List<Registration> registrations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      registrations.add(memory.onFree(called::incrementAndGet));
    }
    for (int i = 10; i < count; i++) {
      assertTrue(registrations.get(isLastFirst ? count - 1 - i : i).cancel());
    }
    assertFalse(registrations.get(count / 2).cancel(), "it was cancelled before");
    borrow.end();

    assertEquals(10, called.get());
    assertFalse(registrations.get(isLastFirst ? count - 1 : 0).cancel(), "it has run");
  }

  /** The borrows of other operations go on. */
  @Test
  void endingABorrowTwiceEndsNoOtherBorrow() {
    HostMemory memory = HostMemory.of(new byte[4]);
    AtomicInteger freed = new AtomicInteger();
    HostMemory.Borrow first = memory.borrow();
    HostMemory.Borrow second = memory.borrow();
    memory.onFree(freed::incrementAndGet);
    first.end();
    first.end();
    assertTrue(memory.isBorrowed());
    assertEquals(0, freed.get());
    second.end();
    second.end();
    first.end();
    assertFalse(memory.isBorrowed());
    assertEquals(1, freed.get());
    HostMemory.Borrow third = memory.borrow();
    first.end();
    assertTrue(memory.isBorrowed());
    third.end();
    assertFalse(memory.isBorrowed());
  }

  /** An earlier interrupt takes effect at once, unless there is nothing to wait for (rule S4). */
  @Test
  void awaitFreeThrowsIfTheThreadIsInterrupted() throws Exception {
    HostMemory memory = HostMemory.of(new byte[4]);
    Thread.currentThread().interrupt();
    memory.awaitFree();
    assertTrue(Thread.interrupted(), "the flag was cleared although awaitFree has returned");

    HostMemory.Borrow borrow = memory.borrow();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> memory.awaitFree(Duration.ofHours(1)));
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                memory.awaitFree();
              } catch (Throwable t) {
                thrown.set(t);
              }
            },
            "waiter");
    waiter.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (waiter.getState() != Thread.State.TIMED_WAITING && System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
    waiter.interrupt();
    waiter.join(30_000);
    assertFalse(waiter.isAlive(), "the waiting thread still waits 30 s after its interrupt");
    assertEquals(InterruptedException.class, Objects.requireNonNull(thrown.get()).getClass());
    borrow.end();
  }

  @Test
  void callbacksOnFreeMemoryRunInTheirOrder() {
    HostMemory memory = HostMemory.of(new byte[4]);
    HostMemory.Borrow borrow = memory.borrow();
    List<Integer> ran = new ArrayList<>();
    List<Registration> registrations = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int number = i;
      registrations.add(memory.onFree(() -> ran.add(number)));
    }
    assertTrue(registrations.get(2).cancel());
    memory.onFree(() -> memory.onFree(() -> ran.add(7)));
    borrow.end();

    assertEquals(List.of(0, 1, 3, 4, 5, 7), ran);
  }

  private static final class MuteException extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new AssertionError("it has no message");
    }
  }

  @Test
  void reportsAFailureOfMemoryOfAnotherKind() {
    HostMemory memory = HostMemory.of(new Range(8));
    HalException read =
        assertThrows(HalException.class, () -> memory.read(0, ByteBuffer.allocate(4)));
    HalException written =
        assertThrows(HalException.class, () -> memory.write(4, ByteBuffer.allocate(4)));
    assertEquals(Status.ABORTED, read.status());
    assertEquals(Status.ABORTED, written.status());
    assertTrue(read.getMessage().endsWith("is gone"), read.getMessage());
    HalException negative = assertThrows(HalException.class, () -> HostMemory.of(new Range(-1)));
    assertEquals(Status.OUT_OF_RANGE, negative.status());
  }

  private record Range(long size) implements HostRange {
    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public boolean isOnHeap() {
      return false;
    }

    @Override
    public long address() {
      return 0;
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      throw new IllegalStateException("what it was is gone");
    }

    @Override
    public void write(long offset, ByteBuffer source) {
      throw new IllegalStateException("what it was is gone");
    }
  }
}
