package org.jhal.driver.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jhal.HostMemory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that two threads share. */
@Timeout(120)
class SharedCopyTest {
  private static final int DEADLINE_SECONDS = 30;
  private static final int SIZE = 1 << 20;

  private static ByteBuffer source(int size) {
    byte[] bytes = new byte[size + 5];
    new Random(size).nextBytes(bytes);
    return ByteBuffer.allocateDirect(size + 5).put(bytes).position(5);
  }

  private static void assertCopied(ByteBuffer source, double[] target) {
    double[] expected = new double[target.length];
    source.slice().order(ByteOrder.nativeOrder()).asDoubleBuffer().get(expected);
    assertArrayEquals(expected, target);
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 65_528, 65_536, 65_544, 524_288, SIZE - 8, SIZE})
  void oneThreadCopiesAllOfIt(int size) throws Exception {
    ByteBuffer source = source(size);
    double[] target = new double[size / 8];
    new SharedCopy(source, HostMemory.of(target))
        .copy(
            task -> {
              throw new RejectedExecutionException("on purpose");
            });
    assertCopied(source, target);
  }

  @Test
  void theOtherThreadMayCopyAllOfIt() throws Exception {
    ByteBuffer source = source(SIZE);
    double[] target = new double[SIZE / 8];
    new SharedCopy(source, HostMemory.of(target)).copy(Runnable::run);
    assertCopied(source, target);
  }

  /** It must not write memory that is the program's again. */
  @Test
  void aThreadThatComesLateCopiesNothing() throws Exception {
    AtomicReference<@Nullable Runnable> late = new AtomicReference<>();
    double[] target = new double[SIZE / 8];
    new SharedCopy(source(SIZE), HostMemory.of(target)).copy(late::set);
    double[] cleared = new double[target.length];
    System.arraycopy(cleared, 0, target, 0, target.length);
    Objects.requireNonNull(late.get()).run();
    assertArrayEquals(cleared, target);
  }

  @Test
  void twoThreadsCopyAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      for (int i = 0; i < 200; i++) {
        ByteBuffer source = source(SIZE - 8 * i);
        double[] target = new double[source.remaining() / 8];
        new SharedCopy(source, HostMemory.of(target)).copy(threads::execute);
        assertCopied(source, target);
      }
    } finally {
      threads.shutdown();
    }
    assertTrue(threads.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS), "the thread's end");
  }

  /** The thread that needs the copy also waits for pieces that it has not copied itself. */
  @Test
  void waitsForTheOtherThreadsPiece() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    double[] target = new double[SIZE / 8];
    HostMemory memory = HostMemory.of(target);
    ByteBuffer source = source(SIZE);
    SharedCopy copy = new SharedCopy(source, memory);
    ExecutorService threads = Executors.newFixedThreadPool(1);
    try {
      copy.copy(
          task -> {
            threads.execute(
                () -> {
                  begun.countDown();
                  task.run();
                });
            try {
              assertTrue(begun.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "the other thread");
            } catch (InterruptedException e) {
              throw new AssertionError("nothing interrupts this thread", e);
            }
          });
      assertCopied(source, target);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aFailureOfEitherThreadIsThrown() {
    HostMemory closed = HostMemory.of(ByteBuffer.allocate(SIZE).asReadOnlyBuffer());
    assertThrows(
        ReadOnlyBufferException.class,
        () -> new SharedCopy(source(SIZE), closed).copy(Runnable::run));
    assertThrows(
        ReadOnlyBufferException.class, () -> new SharedCopy(source(SIZE), closed).copy(late -> {}));
  }
}
