// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives.arithmetic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.ElementType;
import org.jhal.Reduction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The bits of results that are NaNs. Which NaN a processor returns for two of them depends on the
 * order of the operands, which the compilers of the JVM choose.
 */
class CanonicalNanTest {
  private static final String TYPES = "F16, BF16, F32, F64";

  /** NaNs of both signs, quiet and signaling, with payloads, and what makes NaNs. */
  private static long[] special(ElementType type) {
    return switch (type) {
      case F16 ->
          new long[] {
            0x7E00, 0xFE00, 0x7E55, 0xFFFF, 0x7C01, 0xFC33, 0x7C00, 0xFC00, 0, 0x8000, 0x3C00
          };
      case BF16 ->
          new long[] {
            0x7FC0, 0xFFC0, 0x7FD5, 0xFFFF, 0x7F81, 0xFFA3, 0x7F80, 0xFF80, 0, 0x8000, 0x3F80
          };
      case F32 ->
          new long[] {
            0x7FC0_0000,
            0xFFC0_0000,
            0x7FC1_2345,
            -1,
            0x7F80_0001,
            0xFF80_0033,
            0x7F80_0000,
            0xFF80_0000,
            0,
            0x8000_0000,
            0x3F80_0000
          };
      default ->
          new long[] {
            0x7FF8L << 48,
            0xFFF8L << 48,
            0x7FF8_1234L << 32,
            -1,
            0x7FF0L << 48 | 1,
            0xFFF0L << 48 | 0x33,
            0x7FF0L << 48,
            0xFFF0L << 48,
            0,
            1L << 63,
            0x3FF0L << 48
          };
    };
  }

  private static boolean isNan(ElementType type, long bits) {
    return switch (type) {
      case F16 -> (bits & 0x7FFF) > 0x7C00;
      case BF16 -> (bits & 0x7FFF) > 0x7F80;
      case F32 -> Float.isNaN(Float.intBitsToFloat((int) bits));
      default -> Double.isNaN(Double.longBitsToDouble(bits));
    };
  }

  private static long canonical(ElementType type) {
    return switch (type) {
      case F16 -> 0x7E00;
      case BF16 -> 0x7FC0;
      case F32 -> 0x7FC0_0000;
      default -> 0x7FF8L << 48;
    };
  }

  private static long get(ElementType type, ByteBuffer elements, int index) {
    int at = index * type.bytes();
    return switch (type.bytes()) {
      case 2 -> elements.getShort(at) & 0xFFFF;
      case 4 -> elements.getInt(at);
      default -> elements.getLong(at);
    };
  }

  /** All pairs and triples of the special values: element i of rank r is digit r of i. */
  private static ByteBuffer operands(ElementType type, int rank) {
    long[] values = special(type);
    int n = values.length;
    ByteBuffer elements =
        ByteBuffer.allocate(n * n * n * type.bytes()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < n * n * n; i++) {
      long bits = values[(rank == 0 ? i : rank == 1 ? i / n : i / n / n) % n];
      switch (type.bytes()) {
        case 2 -> elements.putShort((short) bits);
        case 4 -> elements.putInt((int) bits);
        default -> elements.putLong(bits);
      }
    }
    return elements;
  }

  private static ByteBuffer reduced(Reduction reduction, ElementType type, int ranks) {
    int count = operands(type, 0).capacity() / type.bytes();
    Accumulator sum = Accumulator.of(reduction, type, count);
    sum.first(operands(type, 0), count);
    for (int rank = 1; rank < ranks; rank++) {
      sum.next(operands(type, rank), count);
    }
    ByteBuffer result = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.nativeOrder());
    sum.result(result, count, ranks);
    return result;
  }

  @ParameterizedTest
  @EnumSource(names = {"F16", "BF16", "F32", "F64"})
  void everyNanOfAResultIsTheCanonicalOne(ElementType type) {
    for (Reduction reduction : Reduction.values()) {
      for (int ranks = 1; ranks <= 3; ranks++) {
        ByteBuffer result = reduced(reduction, type, ranks);
        int nans = 0;
        for (int i = 0; i < result.capacity() / type.bytes(); i++) {
          long bits = get(type, result, i);
          if (isNan(type, bits)) {
            nans++;
            String which = reduction + " of " + ranks + " ranks, element " + i;
            assertEquals(Long.toHexString(canonical(type)), Long.toHexString(bits), which);
          }
        }
        assertTrue(nans > 700, reduction + " of " + ranks + " ranks keeps NaNs: " + nans);
      }
    }
  }

  /** Runs in a JVM of its own: writes all results to a file, once the loops are hot. */
  static final class Results {
    private Results() {}

    public static void main(String[] args) throws IOException {
      int times = Integer.parseInt(args[1]);
      List<byte[]> all = new ArrayList<>();
      for (String name : TYPES.split(", ")) {
        ElementType type = ElementType.valueOf(name);
        for (Reduction reduction : Reduction.values()) {
          byte[] last = {};
          for (int i = 0; i < times; i++) {
            last = reduced(reduction, type, 3).array();
          }
          all.add(last);
        }
      }
      try (var out = Files.newOutputStream(Path.of(args[0]))) {
        for (byte[] result : all) {
          out.write(result);
        }
      }
    }
  }

  private static byte[] resultsOfJvm(Path folder, String options, int times) throws Exception {
    Path results = folder.resolve("results" + options.hashCode());
    Path log = folder.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options.split(" ")));
    String modules = System.getProperty("jdk.module.path", "");
    String classes = System.getProperty("java.class.path");
    command.addAll(List.of("-cp", modules + File.pathSeparator + classes));
    command.addAll(List.of(Results.class.getName(), results.toString(), "" + times));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertTrue(
          process.waitFor(120, TimeUnit.SECONDS),
          () -> "the JVM with " + options + " does not end");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), () -> options + ": " + read(log));
    return Files.readAllBytes(results);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @ParameterizedTest
  @CsvSource({"-Xint, 1", "-XX:TieredStopAtLevel=1, 40", "-XX:-TieredCompilation -Xbatch, 40"})
  void theInterpreterAndTheCompilersGiveTheSameBits(String options, int times, @TempDir Path folder)
      throws Exception {
    List<byte[]> own = new ArrayList<>();
    int bytes = 0;
    for (String name : TYPES.split(", ")) {
      for (Reduction reduction : Reduction.values()) {
        byte[] result = reduced(reduction, ElementType.valueOf(name), 3).array();
        own.add(result);
        bytes += result.length;
      }
    }
    ByteBuffer expected = ByteBuffer.allocate(bytes);
    own.forEach(expected::put);
    assertArrayEquals(expected.array(), resultsOfJvm(folder, options, times), options);
  }
}
