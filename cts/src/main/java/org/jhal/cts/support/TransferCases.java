// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.support;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jhal.FillPattern;
import org.junit.jupiter.params.provider.Arguments;

/**
 * Sizes, offsets and patterns for tests of transfers, by queues and by command buffers. Each case
 * has guard bytes before and after its range, which must not change.
 */
public final class TransferCases {
  /** How many bytes after a range are guarded. */
  private static final int GUARD_BYTES = 16;

  private static final int[] PATTERNS = {0, 0x07, 0xAB23, 0, 0xAB23CD45}; // by length

  private TransferCases() {}

  /** A fill of {@code length} bytes at {@code offset} of a buffer of {@code size} bytes. */
  public record Fill(FillPattern pattern, int size, int offset, int length) {
    private static Fill exact(int patternBytes, int size, int offset, int length) {
      return new Fill(new FillPattern(PATTERNS[patternBytes], patternBytes), size, offset, length);
    }

    private static Fill guarded(int patternBytes, int offset, int length) {
      return exact(patternBytes, offset + length + GUARD_BYTES, offset, length);
    }

    /** The content of the target before the fill. */
    public byte[] before() {
      return TestData.filled(size, TestData.GUARD);
    }

    /** The expected content of the target. */
    public byte[] after() {
      return TestData.with(before(), offset, repeated(pattern, length));
    }
  }

  /** A copy of {@code length} bytes. It also serves for updates, uploads and readbacks. */
  public record Copy(int sourceOffset, int targetOffset, int length) {
    /** The content of the source. */
    public byte[] source() {
      return TestData.bytes(sourceOffset + length + GUARD_BYTES);
    }

    /** The content of the target before the copy. */
    public byte[] before() {
      return TestData.filled(targetOffset + length + GUARD_BYTES, TestData.GUARD);
    }

    /** The expected content of the target. */
    public byte[] after() {
      byte[] moved = Arrays.copyOfRange(source(), sourceOffset, sourceOffset + length);
      return TestData.with(before(), targetOffset, moved);
    }
  }

  /** {@code length} bytes of {@code pattern}. */
  public static byte[] repeated(FillPattern pattern, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (pattern.bits() >>> (8 * (i % pattern.bytes())));
    }
    return bytes;
  }

  /** Fills of a few bytes, some of which end at the end of the buffer. */
  public static Stream<Fill> smallFills() {
    return Stream.of(
        Fill.exact(1, 1, 0, 1),
        Fill.exact(1, 5, 0, 5),
        Fill.exact(1, 16, 0, 1),
        Fill.exact(1, 16, 0, 3),
        Fill.exact(1, 16, 0, 8),
        Fill.exact(1, 16, 2, 8),
        Fill.exact(2, 2, 0, 2),
        Fill.exact(2, 16, 0, 8),
        Fill.exact(2, 16, 0, 10),
        Fill.exact(2, 16, 2, 8),
        Fill.exact(4, 4, 0, 4),
        Fill.exact(4, 20, 16, 4),
        Fill.exact(4, 16, 0, 8),
        Fill.exact(4, 16, 8, 8));
  }

  /** Each pattern with short and long ranges, at offsets that are only aligned to the pattern. */
  public static Stream<Fill> fillClasses() {
    List<Fill> cases = new ArrayList<>();
    IntFunction<int[]> offsets =
        patternBytes ->
            switch (patternBytes) {
              case 1 -> new int[] {0, 3, 7, 17, 31};
              case 2 -> new int[] {0, 2, 6, 14, 18};
              default -> new int[] {0, 4, 8, 12, 20};
            };
    int[] lengths = {4, 8, 32, 36, 256, 4096, 65_536};
    for (int patternBytes : new int[] {1, 2, 4}) {
      int[] fitting = offsets.apply(patternBytes);
      for (int i = 0; i < lengths.length; i++) {
        cases.add(Fill.guarded(patternBytes, fitting[i % fitting.length], lengths[i]));
      }
    }
    cases.add(Fill.guarded(1, 3, 31));
    cases.add(Fill.guarded(1, 7, 33));
    cases.add(Fill.guarded(2, 14, 34));
    return cases.stream();
  }

  /** Lengths from 4 bytes to over 1 MiB, at aligned and unaligned offsets. */
  public static Stream<Copy> copyClasses() {
    List<Copy> cases = new ArrayList<>();
    int[] lengths = {4, 8, 16, 31, 32, 33, 64, 256, 1024, 4096, 16_384, 32_768, 65_536};
    for (int length : lengths) {
      for (int[] offsets : new int[][] {{0, 0}, {8, 8}, {4, 4}, {1, 2}}) {
        cases.add(new Copy(offsets[0], offsets[1], length));
      }
    }
    cases.add(new Copy(0, 0, 1 << 20));
    cases.add(new Copy(0, 0, 65_537)); // one byte more than a stream may move at a time
    cases.add(new Copy(3, 1, (1 << 20) + 13));
    return cases.stream();
  }

  /** Short lengths at odd offsets. */
  public static Stream<Copy> updateClasses() {
    return Stream.of(
        new Copy(0, 0, 4),
        new Copy(1, 1, 8),
        new Copy(3, 4, 8),
        new Copy(5, 1, 16),
        new Copy(1, 0, 16));
  }

  /** Each case in both forms of a command buffer. */
  public static Stream<Arguments> inBothForms(Stream<?> cases) {
    return cases.flatMap(
        one -> Stream.of(Commands.Form.values()).map(form -> Arguments.of(form, one)));
  }
}
