// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.measure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jhal.Device;
import org.jhal.Hal;
import org.jhal.bench.baselines.Baselines;
import org.jhal.bench.report.Report;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts that measure cases. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MeasuringTest {
  @Test
  void aSpreadIsTheMedianAndBothEnds() {
    assertEquals(new Spread(3, 1, 9), Spread.of(new double[] {9, 1, 3}));
    assertEquals(new Spread(2.5, 1, 9), Spread.of(new double[] {9, 2, 1, 3}));
    assertEquals(new Spread(7, 7, 7), Spread.of(new double[] {7}));
  }

  @Test
  void ratiosAreTakenRoundByRound() {
    // The load doubled in the second round, which does not change the quotient.
    double[] jhal = {10, 20, 12};
    double[] baseline = {5, 10, 6};
    assertEquals(new Spread(2, 2, 2), Spread.ofRatios(jhal, baseline));
  }

  @Test
  void countsAllocationsOfAllThreads() throws Exception {
    CountDownLatch begin = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch counted = new CountDownLatch(1);
    List<byte[]> kept = new ArrayList<>();
    Thread other =
        Baselines.daemon(
            "allocates",
            () -> {
              try {
                begin.await();
                kept.add(new byte[1 << 20]);
                end.countDown();
                counted.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    other.start();
    Allocations allocations = Objects.requireNonNull(Allocations.begin());
    begin.countDown();
    end.await();
    kept.add(new byte[1 << 20]);
    long bytes = allocations.bytes();
    counted.countDown();
    assertTrue(bytes >= 2 << 20 && bytes < 3 << 20, bytes + " bytes");
    assertEquals(2, kept.size()); // nothing was optimised away
  }

  @Test
  void theCounterOfBaselinesWakesItsWaiter() throws Exception {
    Baselines.Counter counter = new Baselines.Counter(1_000);
    Thread other =
        Baselines.daemon(
            "advances",
            () -> {
              for (int i = 0; i < 100_000; i++) {
                counter.advance();
              }
            });
    other.start();
    for (int i = 1; i <= 100_000; i += 7) {
      counter.await(i);
    }
    counter.await(100_000);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> counter.await(100_001));
  }

  @Test
  void takesSizesFromTheCommandAndSpinningFromTheDevice() {
    try (Device device = Hal.openDevice("mock://?spin=3us")) {
      assertEquals(3_000, new Bench("mock", device, 1, new Shared()).spinNanos());
      assertEquals(List.of(1_000, 16_000), new Bench("mock", device, 20_000, new Shared()).sizes());
      assertEquals(List.of(10), new Bench("mock", device, 10, new Shared()).sizes());
      assertEquals(256, new Bench("mock", device, 1_000_000, new Shared()).repeats(1_000));
      assertEquals(1, new Bench("mock", device, 1_000_000, new Shared()).repeats(1_000_000));
    }
  }

  @Test
  void samplesEverySubjectOncePerRound() throws Exception {
    List<String> order = new ArrayList<>();
    BenchCase benchCase =
        new BenchCase(
            "fake",
            "a fake",
            "ns",
            List.of("first", "second"),
            true,
            bench ->
                List.of(
                    new Series("1", new Fake("a", order), List.of(new Fake("b", order))),
                    new Series("2", new Fake("c", order), List.of(new Fake("d", order)))));
    try (Device device = Hal.openDevice("mock")) {
      List<Row> rows =
          Rounds.measure(benchCase, new Bench("mock", device, 1, new Shared()), Duration.ZERO, 2);
      assertEquals(
          List.of(
              "a",
              "b",
              "c",
              "d",
              "a",
              "b",
              "c",
              "d",
              "a",
              "b",
              "c",
              "d",
              "a closed",
              "b closed",
              "c closed",
              "d closed"),
          order);
      assertEquals(
          List.of("1 first", "1 second", "2 first", "2 second"),
          rows.stream().map(row -> row.label() + " " + row.metric()).toList());
      Row last = rows.get(3);
      assertEquals(new Spread(25, 20, 30), Spread.of(last.jhal()));
      assertEquals(new Spread(25, 20, 30), Spread.of(Objects.requireNonNull(last.smallest())));
      assertEquals("d", last.baselines().get(0).name());
    }
  }

  @Test
  void measuresTheOthersIfASubjectFails() throws Exception {
    List<String> order = new ArrayList<>();
    BenchCase benchCase =
        new BenchCase(
            "fake",
            "a fake",
            "ns",
            List.of("first", "second"),
            false,
            bench ->
                List.of(
                    new Series(
                        "1",
                        new Fake("a", order),
                        List.of(
                            new Failing("b", () -> new IllegalStateException("broken")),
                            new Failing("c", () -> new NotAvailableException("no compiler")),
                            new Fake("d", order)),
                        List.of(
                            Aim.atMost("first", "b", 2),
                            Aim.atMost("first", "d", 2),
                            Aim.atMost("second", 24),
                            Aim.atLeast("second", "d", 1.5)))));
    try (Device device = Hal.openDevice("mock")) {
      List<Row> rows =
          Rounds.measure(benchCase, new Bench("mock", device, 1, new Shared()), Duration.ZERO, 2);
      Row first = rows.get(0);
      assertEquals(new Spread(2.5, 2, 3), Spread.of(first.jhal()));
      assertEquals(new Spread(2.5, 2, 3), Spread.of(first.baselines().get(2).samples()));
      assertEquals(
          new Absence("java.lang.IllegalStateException: broken", true),
          first.baselines().get(0).absence());
      assertEquals(new Absence("no compiler", false), first.baselines().get(1).absence());
      assertTrue(first.hasFailure());
      assertEquals(
          List.of("<= 2: not measured", "<= 2: met"),
          first.aims().stream().map(aim -> aim.text(first)).toList());
      Row second = rows.get(1);
      assertEquals(
          List.of("<= 24: missed", ">= 1.5: missed"),
          second.aims().stream().map(aim -> aim.text(second)).toList());

      Report report = new Report(Map.of());
      String table = report.add(benchCase, rows, "0.1", "0.2");
      assertTrue(table.contains("b failed: java.lang.IllegalStateException: broken"), table);
      assertTrue(table.contains("c was not measured: no compiler"), table);
      assertTrue(table.contains("1.00 (1.00..1.00)"), table);
      JsonObject json =
          JsonParser.parseString(report.toJson())
              .getAsJsonObject()
              .getAsJsonArray("cases")
              .get(0)
              .getAsJsonObject()
              .getAsJsonArray("rows")
              .get(0)
              .getAsJsonObject();
      JsonObject broken = json.getAsJsonArray("peers").get(0).getAsJsonObject();
      assertEquals("java.lang.IllegalStateException: broken", broken.get("failure").getAsString());
      assertFalse(broken.has("median"));
      JsonObject met = json.getAsJsonArray("aims").get(1).getAsJsonObject();
      assertEquals(2, met.get("atMost").getAsDouble());
      assertTrue(met.get("met").getAsBoolean());
      assertFalse(json.getAsJsonArray("aims").get(0).getAsJsonObject().has("met"));
    }
  }

  @Test
  void comparesGrowthWithTheFirstSeries() {
    Aim aim = Aim.growsAtMost("time", 3);
    double[] smallest = {10, 10};
    Row fine = new Row("2", "time", new double[] {30, 30}, null, smallest, List.of(), List.of(aim));
    Row steep =
        new Row("2", "time", new double[] {31, 31}, null, smallest, List.of(), List.of(aim));
    assertEquals("growth <= 3: met", aim.text(fine));
    assertEquals("growth <= 3: missed", aim.text(steep));
  }

  @Test
  void comparesWithTheLowestMedianOnceAllAreMeasured() {
    Aim aim = Aim.atLeastOfLowest("GB/s", 0.8);
    double[] nothing = {Double.NaN, Double.NaN, Double.NaN};
    Row.Baseline fast =
        new Row.Baseline("fast", new double[] {5, 90, 90}, null); // though once the slowest
    Row.Baseline slow = new Row.Baseline("slow", new double[] {10, 10, 20}, null);
    Row.Baseline missing = new Row.Baseline("missing", nothing, new Absence("no compiler", false));
    assertEquals(0.8, aim.measured(throughput(aim, fast, slow)));
    assertEquals("lowest peer >= 0.8: met", aim.text(throughput(aim, fast, slow)));
    assertEquals("lowest peer >= 0.8: met", aim.text(throughput(aim, slow, fast)));
    assertEquals("lowest peer >= 0.8: missed", aim.text(throughput(aim, fast)));
    assertEquals(
        "lowest peer >= 0.8: not measured", aim.text(throughput(aim, missing, fast, slow)));
    assertEquals(
        "lowest peer >= 0.8: not measured", aim.text(throughput(aim, slow, fast, missing)));
    assertEquals("lowest peer >= 0.8: not measured", aim.text(throughput(aim)));
  }

  private static Row throughput(Aim aim, Row.Baseline... baselines) {
    return new Row(
        "1", "GB/s", new double[] {8, 9, 8}, null, null, List.of(baselines), List.of(aim));
  }

  @Test
  void quartilesAreTheMiddleAndBothQuarters() {
    assertArrayEquals(new double[] {3, 2, 4}, Quartiles.of(new long[] {5, 1, 4, 2, 3}));
    assertArrayEquals(new double[] {7, 7, 7}, Quartiles.of(new long[] {7}));
  }

  @Test
  void createsSharedObjectsOnceAndClosesThemInReverse() {
    List<String> closed = new ArrayList<>();
    Shared shared = new Shared();
    AutoCloseable a = shared.get("a", AutoCloseable.class, () -> () -> closed.add("a"));
    assertSame(
        a,
        shared.get(
            "a",
            AutoCloseable.class,
            () -> {
              throw new AssertionError("made twice");
            }));
    AutoCloseable unused =
        shared.get(
            "b",
            AutoCloseable.class,
            () ->
                () -> {
                  closed.add("b");
                  throw new IllegalStateException("b does not close");
                });
    Exception thrown = assertThrows(IllegalStateException.class, shared::close);
    assertEquals("b does not close", thrown.getMessage());
    assertEquals(List.of("b", "a"), closed);
  }

  @Test
  void opensTheSameDeviceWithAnotherSpin() throws Exception {
    try (Device device = Hal.openDevice("mock://1?devices=2&spin=1us");
        Shared shared = new Shared()) {
      Bench bench = new Bench("mock://1?devices=2&spin=1us", device, 1, shared);
      Device other = bench.deviceThatSpins("7ms");
      assertSame(other, bench.deviceThatSpins("7ms"));
      assertEquals(1, other.info().index());
      assertEquals(7_000_000, new Bench("", other, 1, shared).spinNanos());
    }
  }

  /** A subject that never returns a sample. */
  private record Failing(String name, Supplier<Exception> failure) implements Subject {
    @Override
    public double[] sample() throws Exception {
      throw failure.get();
    }
  }

  /** Its samples are 1, 2, 3 and 10, 20, 30. */
  private static final class Fake implements Subject {
    private final String name;
    private final List<String> order;
    private int samples;

    Fake(String name, List<String> order) {
      this.name = name;
      this.order = order;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public double[] sample() {
      order.add(name);
      samples++;
      return new double[] {samples, 10.0 * samples};
    }

    @Override
    public void close() {
      order.add(name + " closed");
    }
  }
}
