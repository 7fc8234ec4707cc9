// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.faults;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the JVM learns from signals: null pointers and divisions by zero in compiled code, the end
 * of a stack, polls for safepoints in loops, and the end of a file that is mapped.
 *
 * <p>Used by one thread.
 */
final class JavaFaults {
  private static final class Box {
    int value = 1;
    @Nullable Box next;
  }

  private final Map<String, Long> counts = new TreeMap<>();
  private final Box[] boxes = new Box[1024];
  private long sum;
  private Object garbage = "";

  JavaFaults() {
    for (int i = 0; i < boxes.length; i++) {
      boxes[i] = new Box();
      boxes[i].next = i % 64 == 0 ? null : boxes[i / 2];
    }
  }

  /** Meets each of them some times. */
  void once(Path folder) throws IOException {
    for (int i = 0; i < 20 * boxes.length; i++) {
      try {
        sum += nextOf(boxes[i % boxes.length]);
      } catch (NullPointerException e) {
        count("null pointer");
      }
      try {
        sum += quotient(i, i % 64);
      } catch (ArithmeticException e) {
        count("division");
      }
    }
    try {
      sum += depth(0);
    } catch (StackOverflowError e) {
      count("stack");
    }
    sum += loop(1_000_000);
    garbage = new byte[1 << 20][];
    beyondAFile(folder);
  }

  @SuppressWarnings("NullAway") // on purpose
  private static int nextOf(Box box) {
    return box.next.value;
  }

  private static int quotient(int a, int b) {
    return a / b;
  }

  private static int depth(int n) {
    return n < 0 ? 0 : depth(n + 1) + 1;
  }

  /** Has a poll in each round, since its counter is long. */
  private static long loop(long rounds) {
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
      sum += i ^ sum;
    }
    return sum;
  }

  private void beyondAFile(Path folder) throws IOException {
    Path path = Files.createTempFile(folder, "mapped", ".bin");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(1 << 16);
      MappedByteBuffer mapped =
          file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, file.length());
      file.setLength(0);
      sum += mapped.get(1 << 15);
      sum += mapped.get(1);
    } catch (InternalError e) {
      count("bus");
    } finally {
      Files.delete(path);
    }
  }

  private void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** How often each was met. */
  Map<String, Long> counts() {
    return counts;
  }

  /** What keeps the compiler from leaving code out. */
  long rest() {
    return sum + garbage.hashCode();
  }
}
