// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.transfer;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Fence;
import org.jhal.HostMemory;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Blocker;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Transfers of different sizes on one queue, of which the device has made some and not others: no
 * one takes the staging memory of another.
 */
@CtsSuite
class MixedSizesTest {
  private static final int KIB = 1 << 10;

  /** How the bytes of a transfer get to the device. */
  private enum Kind {
    UPDATE,
    UPLOAD
  }

  /** What one transfer moves to a buffer of its own. */
  private static final class Part {
    final DeviceBuffer buffer;
    private final byte[] bytes;
    private final byte[] expected;

    Part(Cts cts, int size, int seed) {
      bytes = new byte[size];
      new Random(seed).nextBytes(bytes);
      expected = TestData.with(new byte[size + 2], 1, bytes);
      buffer = cts.buffer(new byte[size + 2]);
    }

    void send(DeviceQueue queue, Kind kind, TimelineSemaphore done) {
      if (kind == Kind.UPDATE) {
        queue.update(Fence.NONE, done.at(1), ByteBuffer.wrap(bytes), buffer, 1);
        Arrays.fill(bytes, (byte) 0); // the call has captured them (Q2)
      } else {
        queue.upload(Fence.NONE, done.at(1), HostMemory.of(bytes), buffer, 1);
      }
    }

    void check(byte[] actual, String what) {
      assertBytes(expected, actual, what);
    }
  }

  /** The device has made the first of three transfers, and the others lie before it. */
  @ParameterizedTest
  @CsvSource({
    "UPDATE, 1, 60, 256",
    "UPDATE, 60, 1, 256",
    "UPDATE, 256, 60, 1",
    "UPDATE, 1, 1, 64",
    "UPDATE, 64, 64, 64",
    "UPLOAD, 1, 60, 64",
    "UPLOAD, 64, 1, 64",
    "UPLOAD, 1, 60, 256"
  })
  @Rule({"M2", "Q2", "K7"})
  void theThirdLeavesTheSecondAlone(Kind kind, int first, int second, int third, Cts cts) {
    int[] sizes = {first, second, third, first, third};
    List<Part> parts = new ArrayList<>();
    List<TimelineSemaphore> ends = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      parts.add(new Part(cts, sizes[i] * KIB, i));
      ends.add(cts.semaphore());
    }
    parts.get(0).send(cts.queue(), kind, ends.get(0));
    awaitReached(ends.get(0), 1);
    Blocker blocker = new Blocker(cts, cts.queue());
    for (int i = 1; i < sizes.length; i++) {
      parts.get(i).send(cts.queue(), kind, ends.get(i));
    }
    blocker.release();
    for (int i = 0; i < sizes.length; i++) {
      awaitReached(ends.get(i), 1);
      parts
          .get(i)
          .check(cts.read(parts.get(i).buffer), "transfer %s of %s KiB".formatted(i, sizes[i]));
    }
  }

  /** In both directions, while earlier ones end at any time. */
  @Test
  @Rule({"M2", "Q2", "K7"})
  void transfersOfAllSizesInAnyOrderAreExact(Cts cts) {
    List<Integer> sizes = new ArrayList<>();
    for (int size :
        List.of(1, 255, 256, 257, KIB, 4096, 60 * KIB, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1)) {
      sizes.addAll(Collections.nCopies(6, size));
    }
    for (int size : List.of(256 * KIB - 1, 256 * KIB, 256 * KIB + 1, 700 * KIB, 1025 * KIB)) {
      sizes.addAll(Collections.nCopies(3, size));
    }
    Collections.shuffle(sizes, cts.random());
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < sizes.size(); i++) {
      parts.add(new Part(cts, sizes.get(i), i));
    }
    List<byte[]> reads = new ArrayList<>();
    TimelineSemaphore read = cts.semaphore();
    for (int i = 0; i < sizes.size(); i++) {
      Part part = parts.get(i);
      TimelineSemaphore done = cts.semaphore();
      part.send(cts.queue(), Kind.values()[i % 2], done);
      reads.add(new byte[sizes.get(i) + 2]);
      Fence waits = i == 0 ? done.at(1) : done.at(1).and(read.at(i));
      cts.queue().readback(waits, read.at(i + 1), part.buffer, 0, HostMemory.of(reads.get(i)));
    }
    awaitReached(read, sizes.size());
    for (int i = 0; i < sizes.size(); i++) {
      parts.get(i).check(reads.get(i), "transfer " + i + " of " + sizes.get(i));
    }
  }
}
