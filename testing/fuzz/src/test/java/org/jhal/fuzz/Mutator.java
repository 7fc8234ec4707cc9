// SPDX-License-Identifier: Apache-2.0
package org.jhal.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damages inputs: bits, bytes, extreme numbers in binary and in decimal, tokens of the format, and
 * parts that are missing, repeated, or come from another input. The same random numbers damage in
 * the same way.
 */
final class Mutator {
  /** The longest result, in bytes, so that repetition does not grow without limit. */
  private static final int MAX_BYTES = 1 << 17;

  private static final long[] EXTREMES = {
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 31,
    (1L << 32) - 1,
    1L << 32,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final Random random;
  private final List<byte[]> seeds;
  private final List<byte[]> tokens;

  Mutator(Random random, List<byte[]> seeds, List<String> tokens) {
    this.random = random;
    this.seeds = seeds;
    this.tokens = tokens.stream().map(token -> token.getBytes(StandardCharsets.UTF_8)).toList();
  }

  /** One of the seeds with one to four kinds of damage. */
  byte[] next() {
    byte[] input = any(seeds);
    for (int left = 1 + random.nextInt(4); left > 0; left--) {
      input = damaged(input);
    }
    return input.length <= MAX_BYTES ? input : Arrays.copyOf(input, MAX_BYTES);
  }

  private byte[] damaged(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int to = Math.min(input.length, at + 1 + random.nextInt(random.nextBoolean() ? 8 : 200));
    byte[] part = Arrays.copyOfRange(input, at, to);
    return switch (random.nextInt(10)) {
      case 0 -> replaced(input, at, to, flipped(part));
      case 1 -> replaced(input, at, Math.min(at + 1, input.length), new byte[] {extremeByte()});
      case 2 -> number(input, at);
      case 3 -> decimal(input, at);
      case 4 -> replaced(input, at, at, token());
      case 5 -> replaced(input, at, to, token());
      case 6 -> replaced(input, at, to, new byte[0]);
      case 7 -> replaced(input, at, at, repeated(part));
      case 8 -> spliced(input, at);
      default -> Arrays.copyOf(input, at);
    };
  }

  private byte[] flipped(byte[] part) {
    if (part.length > 0) {
      part[random.nextInt(part.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return part;
  }

  private byte extremeByte() {
    return (byte) EXTREMES[random.nextInt(EXTREMES.length)];
  }

  /** Writes a number of 2, 4 or 8 bytes over what is there, often where such numbers are. */
  private byte[] number(byte[] input, int at) {
    int size = 2 << random.nextInt(3);
    int begin = random.nextBoolean() ? at : at / size * size;
    if (begin + size > input.length) {
      return input;
    }
    long value = EXTREMES[random.nextInt(EXTREMES.length)] + random.nextInt(3) - 1;
    byte[] changed = input.clone();
    ByteBuffer out = ByteBuffer.wrap(changed);
    out.order(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    if (size == 2) {
      out.putShort(begin, (short) value);
    } else if (size == 4) {
      out.putInt(begin, (int) value);
    } else {
      out.putLong(begin, value);
    }
    return changed;
  }

  /** Replaces the next number that is written in decimal digits. */
  private byte[] decimal(byte[] input, int at) {
    int begin = at;
    while (begin < input.length && !isDigit(input[begin])) {
      begin++;
    }
    int end = begin;
    while (end < input.length && isDigit(input[end])) {
      end++;
    }
    String number =
        random.nextInt(8) == 0
            ? "9".repeat(1 + random.nextInt(400))
            : String.valueOf(EXTREMES[random.nextInt(EXTREMES.length)]);
    return begin == end
        ? input
        : replaced(input, begin, end, number.getBytes(StandardCharsets.US_ASCII));
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private byte[] token() {
    return tokens.isEmpty() ? new byte[] {extremeByte()} : any(tokens);
  }

  /** Repeated so often that recursion and sums overflow where nothing limits them. */
  private byte[] repeated(byte[] part) {
    byte[] unit = random.nextInt(3) == 0 ? token() : part;
    int times = random.nextInt(4) == 0 ? MAX_BYTES / Math.max(1, unit.length) : random.nextInt(9);
    byte[] all = new byte[unit.length * times];
    for (int i = 0; i < times; i++) {
      System.arraycopy(unit, 0, all, i * unit.length, unit.length);
    }
    return all;
  }

  private byte[] spliced(byte[] input, int at) {
    byte[] other = any(seeds);
    int from = random.nextInt(other.length + 1);
    int to = from + random.nextInt(other.length - from + 1);
    int until = at + random.nextInt(input.length - at + 1);
    return replaced(input, at, until, Arrays.copyOfRange(other, from, to));
  }

  private byte[] any(List<byte[]> all) {
    return all.get(random.nextInt(all.size())).clone();
  }

  private static byte[] replaced(byte[] input, int from, int to, byte[] by) {
    byte[] result = new byte[from + by.length + input.length - to];
    System.arraycopy(input, 0, result, 0, from);
    System.arraycopy(by, 0, result, from, by.length);
    System.arraycopy(input, to, result, from + by.length, input.length - to);
    return result;
  }
}
