// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.cases.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.CudaRaw;
import org.jhal.bench.baselines.FakeCuda;
import org.jhal.bench.measure.Aim;
import org.jhal.bench.measure.Bench;
import org.jhal.bench.measure.BenchCase;
import org.jhal.bench.measure.Rounds;
import org.jhal.bench.measure.Row;
import org.jhal.bench.measure.Series;
import org.jhal.bench.measure.Shared;
import org.jhal.bench.measure.Spread;
import org.jhal.bench.measure.Subject;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers between files and buffers: JHAL's side on the mock, that in C on a fake driver. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FileCasesTest {
  private static final String URI = "mock";
  private static final int BYTES = PatternFile.PIECE + 4096; // a second piece, which is smaller

  @TestFactory
  Stream<DynamicTest> allSidesDoTheWork(@TempDir Path folder) throws Exception {
    FakeCuda fake = FakeCuda.build(folder);
    return Stream.of(
        test(fake, true, "file-read", "C ring"),
        test(fake, true, "file-write", "C ring"),
        test(fake, false, "file-read", "JHAL, upload"),
        test(fake, false, "file-write", "JHAL, readback"));
  }

  private static DynamicTest test(FakeCuda fake, boolean isBesideC, String name, String half) {
    BenchCase benchCase =
        FileCases.all(bench -> isBesideC).stream()
            .filter(known -> known.name().equals(name))
            .findFirst()
            .orElseThrow();
    return DynamicTest.dynamicTest(
        name + " beside " + half, () -> check(benchCase, fake, "FileChannel", half));
  }

  private static void check(BenchCase benchCase, FakeCuda fake, String... baselines)
      throws Exception {
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      CudaRaw unused = shared.get("raw", CudaRaw.class, () -> fake.raw(null, Map.of()));
      Bench bench = new Bench(URI, device, 20, shared);
      List<Row> rows = Rounds.measure(benchCase, bench, Duration.ZERO, 2);
      assertEquals(List.of("20 KiB"), rows.stream().map(Row::label).distinct().toList());
      for (Row row : rows) {
        assertNull(row.absence(), row::toString);
        assertTrue(Spread.of(row.jhal()).min() > 0, row::toString);
        assertEquals(List.of(baselines), row.baselines().stream().map(Row.Baseline::name).toList());
        for (Row.Baseline baseline : row.baselines()) {
          assertNull(baseline.absence(), baseline::toString);
          assertTrue(Spread.of(baseline.samples()).min() > 0, row::toString);
        }
      }
    }
  }

  @Test
  void comparesWithTheSlowerBaselineFrom64MiBOn() throws Exception {
    List<Aim> aims = List.of(Aim.atLeastOfLowest("GB/s", 0.8));
    try (Device device = Hal.openDevice(URI);
        Shared shared = new Shared()) {
      for (BenchCase benchCase : FileCases.all()) {
        assertTrue(benchCase.metrics().contains("GB/s"));
        assertEquals(List.of("64 MiB"), of(benchCase, device, shared, 1_000_000, Series::label));
        assertEquals(
            List.of("64 MiB", "1024 MiB"), of(benchCase, device, shared, 1 << 20, Series::label));
        assertEquals(List.of(aims, aims), of(benchCase, device, shared, 1 << 20, Series::aims));
        assertEquals(List.of(List.of()), of(benchCase, device, shared, 1 << 10, Series::aims));
      }
    }
  }

  private static <T> List<T> of(
      BenchCase benchCase, Device device, Shared shared, int max, Function<Series, T> what)
      throws Exception {
    List<Series> all = benchCase.maker().make(new Bench(URI, device, max, shared));
    all.forEach(Series::close);
    return all.stream().map(what).toList();
  }

  /** Makes one of the sides that use the file. */
  private interface Side {
    Subject of(Device device, FileTransfers.Kind kind, PatternFile file);
  }

  private static final List<Side> SIDES =
      List.of(
          (device, kind, file) -> new FileTransfers(device, kind, file, 2),
          (device, kind, file) -> new FileChannelTransfers(kind, file, 2));

  @ParameterizedTest
  @EnumSource(FileTransfers.Kind.class)
  void eachSideMovesAllPiecesAndTheFileIsDeleted(FileTransfers.Kind kind) throws Exception {
    try (Device device = Hal.openDevice(URI)) {
      for (Side side : SIDES) {
        PatternFile file = new PatternFile(BYTES);
        Path path = file.path();
        assertEquals(BYTES, Files.size(path));
        try (Subject subject = side.of(device, kind, file)) {
          subject.prepare();
          assertEquals(path, file.path());
          assertTrue(subject.sample()[0] > 0);
          assertTrue(subject.sample()[0] > 0);
        }
        assertFalse(Files.exists(path), path::toString);
      }
    }
  }

  @Test
  void detectsWrongBytesAfterARead() throws Exception {
    try (Device device = Hal.openDevice(URI)) {
      for (Side side : SIDES) {
        PatternFile file = new PatternFile(BYTES);
        try (Subject subject = side.of(device, FileTransfers.Kind.READ, file)) {
          subject.prepare();
          spoil(file, BYTES - Integer.BYTES);
          String message = refusal(subject::sample);
          assertTrue(message.contains("at byte " + (BYTES - 4)), subject.name() + ": " + message);
        }
      }
    }
  }

  @Test
  void detectsWrongBytesAfterAWrite() throws Exception {
    try (PatternFile file = new PatternFile(BYTES)) {
      Path path = file.path();
      file.expect(PatternFile.FIRST);
      int other = file.nextPattern();
      String message = refusal(() -> file.expect(other));
      assertTrue(message.startsWith("the file has 1 at byte 0 where 2 "), message);
      spoil(file, PatternFile.PIECE);
      message = refusal(() -> file.expect(PatternFile.FIRST));
      assertTrue(message.contains("at byte " + PatternFile.PIECE), message);
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        channel.truncate(BYTES - 1);
      }
      message = refusal(() -> file.expect(PatternFile.FIRST));
      assertTrue(message.contains((BYTES - 1) + " bytes, not " + BYTES), message);
    }
  }

  /** The message of {@code check} when it finds other contents. */
  private static String refusal(Executable check) {
    return String.valueOf(assertThrows(IllegalStateException.class, check).getMessage());
  }

  /** Changes one byte of the file. */
  private static void spoil(PatternFile file, int offset) throws Exception {
    try (FileChannel channel =
        FileChannel.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      assertEquals(1, channel.read(one, offset));
      one.put(0, (byte) ~one.get(0)).flip();
      assertEquals(1, channel.write(one, offset));
    }
  }
}
