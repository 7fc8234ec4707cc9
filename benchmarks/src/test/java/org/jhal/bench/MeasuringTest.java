package org.jhal.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jhal.Device;
import org.jhal.Hal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the cases are measured with. */
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
    // The load doubled in the second round: the quotient does not care.
    double[] jhal = {10, 20, 12};
    double[] peer = {5, 10, 6};
    assertEquals(new Spread(2, 2, 2), Spread.ofRatios(jhal, peer));
  }

  @Test
  void allocationsOfAllThreadsCount() throws Exception {
    CountDownLatch begin = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch counted = new CountDownLatch(1);
    List<byte[]> kept = new ArrayList<>();
    Thread other =
        Peers.daemon(
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
  void theCounterThatPeersWaitForWakesItsWaiter() throws Exception {
    Peers.Counter counter = new Peers.Counter(1_000);
    Thread other =
        Peers.daemon(
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
  void sizesAndSpinningComeFromTheCommandAndTheDevice() {
    try (Device device = Hal.openDevice("mock://?spin=3us")) {
      assertEquals(3_000, new Bench("mock", device, 1).spinNanos());
      assertEquals(List.of(1_000, 16_000), new Bench("mock", device, 20_000).sizes());
      assertEquals(List.of(10), new Bench("mock", device, 10).sizes());
      assertEquals(256, new Bench("mock", device, 1_000_000).repeats(1_000));
      assertEquals(1, new Bench("mock", device, 1_000_000).repeats(1_000_000));
    }
  }

  @Test
  void everySubjectIsSampledOnceARound() throws Exception {
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
      List<Row> rows = Rounds.measure(benchCase, new Bench("mock", device, 1), Duration.ZERO, 2);
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
      assertEquals("d", last.peers().get(0).name());
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
